import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import net.dona.doip.DoipRequestHeaders;
import net.dona.doip.InDoipMessage;
import net.dona.doip.InDoipMessageFromCollection;
import net.dona.doip.InDoipSegment;
import net.dona.doip.InDoipSegmentFromInputStream;
import net.dona.doip.client.AuthenticationInfo;
import net.dona.doip.client.DigitalObject;
import net.dona.doip.client.DoipClient;
import net.dona.doip.client.DoipException;
import net.dona.doip.client.Element;
import net.dona.doip.client.PasswordAuthenticationInfo;
import net.dona.doip.client.PrivateKeyAuthenticationInfo;
import net.dona.doip.client.QueryParams;
import net.dona.doip.client.SearchResults;
import net.dona.doip.client.ServiceInfo;
import net.dona.doip.client.TokenAuthenticationInfo;
import net.dona.doip.client.transport.ConnectionOptions;
import net.dona.doip.client.transport.DoipClientResponse;
import net.dona.doip.client.transport.DoipConnection;
import net.dona.doip.client.transport.TransportDoipClient;
import net.dona.doip.util.InDoipMessageUtil;

/** The checks of the Java `doip-sdk`. */
final class SdkClient {

    private static final String OK = "0.DOIP/Status.001";
    private static final String SERVICE = Checks.config("service");
    private static final String MAP = Checks.config("map");
    private static final String DIARY = Checks.config("diary");
    private static final JsonObject READER = Checks.CONFIG.getAsJsonObject("reader");

    /** At most so many connections are in the pool, as many requests are sent at a time. */
    private static final int MAX_POOLED = 10;
    private static final int RETRY_MS = 100;

    private final Checks checks = new Checks();
    private final ServiceInfo service = new ServiceInfo(SERVICE, Checks.config("host"), Checks.CONFIG.get("port").getAsInt());
    private final AuthenticationInfo login = new PasswordAuthenticationInfo(Checks.config("username"), Checks.config("password"));
    private final DoipClient client = new DoipClient();

    public static void main(String[] args) {

        SdkClient sdk = new SdkClient();
        sdk.declareOperations();
        sdk.declareLogins();
        sdk.declareLoads();
        sdk.declareErrors();
        sdk.declareConnections();
        sdk.checks.run(args[0]);
        System.exit(0);
    }

    private void check(String name, Callable<Object> work) {

        checks.add("calls", name, work);
    }

    private void declareOperations() {

        check("Hello", () -> client.hello(SERVICE, null, service).id.equals(SERVICE) && client.hello(SERVICE, login, service).id.equals(SERVICE));
        check("ListOperations", () -> client.listOperations(SERVICE, login, service).contains("0.DOIP/Op.Create"));
        check("Create", () -> nameOf(create("a map")).equals("a map"));
        check("Retrieve", () -> retrievesTheMap());
        check("Retrieve, with elements", () -> {

            DigitalObject found = client.retrieve(create("with elements", element("a", text("abc")), element("b", text(""))).id, true, login, service);
            return Arrays.equals(found.elements.get(0).in.readAllBytes(), text("abc")) && found.elements.get(1).in.readAllBytes().length == 0;
        });
        check("an element", () -> Arrays.equals(read(MAP, "scan"), text("bytes of a scan")));
        check("a part of an element", () -> part(9L, 14L).equals("a scan") && part(9L, null).equals("a scan") && part(null, 4L).equals("scan"));
        check("Update", () -> {

            DigitalObject created = create("old");
            created.setAttribute("content", json("{\"name\": \"new\"}"));
            client.update(created, login, service);
            return nameOf(client.retrieve(created.id, login, service)).equals("new");
        });
        check("Update of an element", () -> {

            DigitalObject created = create("with elements", element("a", text("old")), element("b", text("kept")));
            created.elements.get(0).in = new ByteArrayInputStream(text("new"));
            client.update(created, login, service);
            return Arrays.equals(read(created.id, "a"), text("new")) && Arrays.equals(read(created.id, "b"), text("kept"));
        });
        check("removal of an element", () -> {

            String id = create("with elements", element("a", text("a")), element("b", text("b"))).id;
            JsonElement change = json("{\"attributes\": {\"content\": {\"name\": \"changed\"}}}");
            JsonObject attributes = json("{\"elementsToDelete\": [\"a\"]}");
            try (DoipClientResponse response = client.performOperation(id, "0.DOIP/Op.Update", login, attributes, change, service)) {
                List<Element> left = client.retrieve(id, login, service).elements;
                return response.getStatus().equals(OK) && left.size() == 1 && left.get(0).id.equals("b");
            }
        });
        check("Delete", () -> {

            String id = create("short-lived").id;
            client.delete(id, login, service);
            return client.retrieve(id, login, service) == null;
        });
        check("Search", () -> {

            try (SearchResults<DigitalObject> results = client.search(SERVICE, "/name:map", new QueryParams(0, 3), login, service)) {
                return results.stream().anyMatch((found) -> found.id.equals(MAP));
            }
        });
        check("Search for ids", () -> {

            try (SearchResults<String> results = client.searchIds(SERVICE, "/set:thousand", new QueryParams(1, 10), login, service)) {
                // A stream would count as many as there are on all pages, without reading them.
                List<String> ids = new ArrayList<>();
                results.forEach(ids::add);
                return results.size() == 1000 && ids.size() == 10;
            }
        });
        check("other operations", () -> {

            JsonObject input = json("{\"text\": \"\u00e9\\n#\\n\"}");
            try (DoipClientResponse response = client.performOperation("service", "test/Op.Echo", login, null, input, service)) {
                if (!InDoipMessageUtil.getFirstSegment(response.getOutput()).getJson().equals(input)) {
                    return false;
                }
            }

            InDoipSegment segment = new InDoipSegmentFromInputStream(false, new ByteArrayInputStream(text("\0\n#\n")));
            InDoipMessage message = new InDoipMessageFromCollection(List.of(segment));
            try (DoipClientResponse response = client.performOperation("service", "test/Op.Echo", login, null, message, service)) {
                return Arrays.equals(InDoipMessageUtil.getFirstSegment(response.getOutput()).getInputStream().readAllBytes(), text("\0\n#\n"));
            }
        });
    }

    private void declareLogins() {

        check("login by user name", () -> readsTheDiary(new PasswordAuthenticationInfo(reader("username"), reader("password"))));
        check("login by user id", () -> readsTheDiary(new AuthenticationInfo() {

            @Override
            public String getClientId() {

                return reader("id");
            }

            @Override
            public JsonElement getAuthentication() {

                return json("{\"password\": \"" + reader("password") + "\"}");
            }
        }));
        check("login by token", () -> readsTheDiary(new TokenAuthenticationInfo(null, reader("token"))));
        check("login by key", () -> readsTheDiary(new PrivateKeyAuthenticationInfo(Checks.config("username"), privateKey())));
        check("login as another user", () ->
            readsTheDiary(new PasswordAuthenticationInfo(Checks.config("username"), Checks.config("password"), reader("id"))));
        check("client certificate", () -> {

            ConnectionOptions options = connectionOptions();
            options.clientId = Checks.config("username");
            options.clientPrivateKey = privateKey();
            options.clientPublicKey = KeyFactory.getInstance("RSA").generatePublic(
                new RSAPublicKeySpec(privateKey().getModulus(), privateKey().getPublicExponent()));
            try (TransportDoipClient transport = new TransportDoipClient(); DoipConnection connection = transport.connect(options)) {
                return retrieves(connection, DIARY);
            }
        });
    }

    private void declareLoads() {

        check("200 operations", () -> Checks.times(200, this::retrievesTheMap));
        check("200 operations on one connection", () -> {

            try (TransportDoipClient transport = new TransportDoipClient(); DoipConnection connection = transport.connect(connectionOptions())) {
                return Checks.times(200, () -> retrieves(connection, MAP));
            }
        });
        check("8 threads", () -> Checks.inThreads(8, 25, this::retrievesTheMap));
        check("elements of 0 B, 20 KB and 5 MB", () -> {

            int[] sizes = { 0, 20_000, 5_000_000 };
            Element[] bodies = new Element[sizes.length];
            Arrays.setAll(bodies, (at) -> element(Integer.toString(at), Checks.bytesOf(sizes[at])));
            String id = create("with elements", bodies).id;
            List<Element> elements = client.retrieve(id, true, login, service).elements;
            boolean isRight = true;
            for (int at = 0; at < sizes.length; ++at) {
                isRight &= elements.get(at).length == sizes[at] && Arrays.equals(elements.get(at).in.readAllBytes(), Checks.bytesOf(sizes[at]));
                isRight &= Arrays.equals(read(id, Integer.toString(at)), Checks.bytesOf(sizes[at]));
            }

            return isRight;
        });
        check("search with 1,000 results", () -> {

            Set<String> ids = new HashSet<>();
            try (SearchResults<DigitalObject> results = client.search(SERVICE, "/set:thousand", QueryParams.DEFAULT, login, service)) {
                for (DigitalObject found : results) {
                    ids.add(found.id);
                }

                return results.size() == 1000 && ids.size() == 1000 ? "streamed" : false;
            }
        });
    }

    private void declareErrors() {

        check("wrong password", () -> {

            AuthenticationInfo wrong = new PasswordAuthenticationInfo(Checks.config("username"), "wrong");
            return statusOf(Checks.thrown(() -> client.hello(SERVICE, wrong, service))).equals("0.DOIP/Status.102");
        });
        check("unknown target", () -> {

            Exception error = Checks.thrown(() -> {

                client.delete("test/none", login, service);
                return null;
            });
            boolean isTold = statusOf(error).equals("0.DOIP/Status.104") && error.getMessage().contains("test/none");
            return isTold && client.retrieve("test/none", login, service) == null;
        });
        check("unknown operation", () -> {

            try (DoipClientResponse response = client.performOperation("service", "test/Op.None", login, null, service)) {
                return response.getStatus().equals("0.DOIP/Status.200");
            }
        });
        check("another service than expected", () -> {

            ServiceInfo other = new ServiceInfo("test/other", service.ipAddress, service.port);
            return Checks.thrown(() -> client.hello("test/other", null, other)).toString();
        });
        check("an element that breaks off", () -> {

            String id = create("damaged", element("a", Checks.bytesOf(5_000_000))).id;
            checks.askService("damage");
            return Checks.thrown(() -> read(id, "a")).toString();
        });
        check("bytes that break off", () -> Checks.thrown(() -> readBreakOff("bytes")).toString());
        check("JSON that breaks off", () -> Checks.thrown(() -> readBreakOff("json")).toString());
        check("the next request", () -> retrievesTheMap());
    }

    private void declareConnections() {

        check("a restart of the service", () -> {

            retrievesTheMap();
            checks.askService("restart");
            return again(this::retrievesTheMap);
        });
        checks.add("waits", "an idle connection", () -> {

            client.hello(SERVICE, login, service);
            Thread.sleep(Checks.CONFIG.get("idleSeconds").getAsLong() * 2000);
            return again(() -> client.hello(SERVICE, login, service).id.equals(SERVICE));
        });
        checks.add("waits", "an operation of 20 s", () -> {

            // Of an operation before, a connection may be left that is about to be closed.
            try (TransportDoipClient transport = new TransportDoipClient(); DoipConnection connection = transport.connect(connectionOptions())) {
                DoipRequestHeaders request = request("service", "test/Op.Wait");
                request.attributes = json("{\"seconds\": 20}");
                try (DoipClientResponse response = connection.sendCompactRequest(request)) {
                    return InDoipMessageUtil.getFirstSegment(response.getOutput()).getJson().equals(json("{\"waited\": 20}"));
                }
            }
        });
    }

    /**
     * For each closed connection of the pool a request may fail at once; it must not hang, and the pool has to recover. The client puts a
     * connection back into the pool when a request fails, and another thread, which reads only while there are requests, finds that it is
     * closed: requests without a pause can all get the same one.
     */
    private static Object again(Callable<Boolean> work) throws Exception {

        Exception last = null;
        for (int failed = 0; failed <= MAX_POOLED; ++failed) {
            try {
                return work.call() ? "requests that failed before: " + failed : false;
            }
            catch (Exception error) {
                last = error;
                Thread.sleep(RETRY_MS);
            }
        }

        throw last;
    }

    private DigitalObject create(String name, Element... elements) throws Exception {

        DigitalObject object = new DigitalObject();
        object.type = "Document";
        JsonObject content = new JsonObject();
        content.addProperty("id", "");
        content.addProperty("name", name);
        object.setAttribute("content", content);
        object.elements = elements.length > 0 ? new ArrayList<>(Arrays.asList(elements)) : null;
        return client.create(object, login, service);
    }

    private static Element element(String id, byte[] bytes) {

        Element element = new Element();
        element.id = id;
        element.type = "application/octet-stream";
        element.in = new ByteArrayInputStream(bytes);
        return element;
    }

    private byte[] read(String id, String element) throws Exception {

        try (InputStream in = client.retrieveElement(id, element, login, service)) {
            return in.readAllBytes();
        }
    }

    private String part(Long start, Long end) throws Exception {

        try (InputStream in = client.retrievePartialElement(MAP, "scan", start, end, login, service)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private boolean retrievesTheMap() throws Exception {

        return nameOf(client.retrieve(MAP, login, service)).equals("A map");
    }

    private boolean readsTheDiary(AuthenticationInfo authentication) throws Exception {

        return client.retrieve(DIARY, authentication, service).id.equals(DIARY);
    }

    private int readBreakOff(String what) throws Exception {

        int segments = 0;
        try (DoipClientResponse response = client.performOperation("service", "test/Op.BreakOff", login, json("{\"what\": \"" + what + "\"}"), service)) {
            for (InDoipSegment segment : response.getOutput()) {
                if (segment.isJson()) {
                    segment.getJson();
                }
                else {
                    segment.getInputStream().readAllBytes();
                }

                segments += 1;
            }
        }

        return segments;
    }

    private ConnectionOptions connectionOptions() {

        ConnectionOptions options = new ConnectionOptions();
        options.address = service.ipAddress;
        options.port = service.port;
        options.serverId = SERVICE;
        return options;
    }

    private static boolean retrieves(DoipConnection connection, String target) throws Exception {

        try (DoipClientResponse response = connection.sendCompactRequest(request(target, "0.DOIP/Op.Retrieve"))) {
            return response.getStatus().equals(OK);
        }
    }

    private static DoipRequestHeaders request(String target, String operation) {

        DoipRequestHeaders request = new DoipRequestHeaders();
        request.targetId = target;
        request.operationId = operation;
        return request;
    }

    private static RSAPrivateCrtKey privateKey() throws Exception {

        byte[] key = Base64.getDecoder().decode(Checks.CONFIG.getAsJsonObject("key").get("pkcs8").getAsString());
        return (RSAPrivateCrtKey) KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(key));
    }

    private static String statusOf(Exception error) {

        return error instanceof DoipException ? "" + ((DoipException) error).getStatusCode() : error.toString();
    }

    private static String nameOf(DigitalObject object) {

        return object.attributes.getAsJsonObject("content").get("name").getAsString();
    }

    private static String reader(String name) {

        return READER.get(name).getAsString();
    }

    private static JsonObject json(String text) {

        return new JsonParser().parse(text).getAsJsonObject();
    }

    private static byte[] text(String text) {

        return text.getBytes(StandardCharsets.UTF_8);
    }
}
