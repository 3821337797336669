# syntax=docker/dockerfile:1
ARG NODE=26-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /src
# better-sqlite3 is compiled where no ready-made binary can be had.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY lib lib
COPY translators translators
COPY db db
COPY ui ui
COPY test test
RUN npm run build && npm prune --omit=dev

FROM node:${NODE}
# With mariadb-dump, which copies the rows before an upgrade.
RUN apt-get update && apt-get install -y --no-install-recommends mariadb-client && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/dist/bundle dist/bundle
COPY --from=build /src/dist/ui dist/ui
RUN mkdir -m 0700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 9000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}${process.env.BASE_PATH || ''}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/bundle/main.js"]
CMD ["serve"]
