import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.miscellaneous.PerFieldAnalyzerWrapper;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.util.CharArraySet;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.AtomicReaderContext;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.CachingWrapperFilter;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.Filter;
import org.apache.lucene.search.FilteredQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MultiCollector;
import org.apache.lucene.search.NumericRangeQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryWrapperFilter;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocsCollector;
import org.apache.lucene.search.TopFieldCollector;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.TotalHitCountCollector;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.Version;

/**
 * The side of Lucene in the benchmark of the search: indexes the same objects into one segment, asks the same queries in the same
 * way (exact count, ids of one page), and prints for each shape the counts and the times.
 *
 * Arguments: file of objects, or nothing where the index is there; file of queries; folder of the index.
 */
public class SearchBench {

    private static final String[] TEXTS = {"title", "abstract", "author", "language", "publisher", "journal", "place", "keyword", "identifier"};

    public static void main(String[] args) throws Exception {
        Map<String, Analyzer> special = new HashMap<>();
        special.put("type", new KeywordAnalyzer());
        Analyzer analyzer = new PerFieldAnalyzerWrapper(new StandardAnalyzer(CharArraySet.EMPTY_SET), special);
        Directory directory = new MMapDirectory(new File(args[2]));
        if (!args[0].isEmpty()) {
            index(directory, analyzer, args[0]);
        }

        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            searcher.setSimilarity(new BM25Similarity());
            Map<String, List<Asked>> shapes = new LinkedHashMap<>();
            for (String line : Files.readAllLines(Paths.get(args[1]), StandardCharsets.UTF_8)) {
                Asked asked = new Asked(line.split("\t", -1), analyzer);
                shapes.computeIfAbsent(asked.shape, (name) -> new ArrayList<>()).add(asked);
            }

            // Whoever has started this says what to ask for how many milliseconds, and measures something else in between.
            System.out.println("ready");
            BufferedReader wanted = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = wanted.readLine(); line != null; line = wanted.readLine()) {
                String[] columns = line.split("\t");
                measure(searcher, shapes.get(columns[0]), Long.parseLong(columns[1]), Integer.parseInt(columns[2]));
            }
        }
    }

    private static void index(Directory directory, Analyzer analyzer, String objects) throws Exception {
        IndexWriterConfig config = new IndexWriterConfig(Version.LATEST, analyzer);
        config.setSimilarity(new BM25Similarity());
        config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
        config.setRAMBufferSizeMB(64);
        try (IndexWriter writer = new IndexWriter(directory, config);
                BufferedReader reader = Files.newBufferedReader(Paths.get(objects), StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                writer.addDocument(document(line.split("\t", -1)));
            }

            writer.forceMerge(1);
        }
    }

    /** Columns: id, type, date, year, pages, volume, readers, then the texts; several values are separated by a bar. */
    private static Document document(String[] columns) {
        Document document = new Document();
        document.add(new StringField("id", columns[0], Field.Store.YES));
        document.add(new StringField("type", columns[1], Field.Store.NO));
        document.add(new SortedDocValuesField("type", new BytesRef(columns[1])));
        document.add(new TextField("date", columns[2], Field.Store.NO));
        document.add(new SortedDocValuesField("date", new BytesRef(columns[2])));
        document.add(new IntField("year", Integer.parseInt(columns[3]), Field.Store.NO));
        document.add(new NumericDocValuesField("year", Integer.parseInt(columns[3])));
        document.add(new IntField("pages", Integer.parseInt(columns[4]), Field.Store.NO));
        document.add(new IntField("volume", Integer.parseInt(columns[5]), Field.Store.NO));
        for (String entry : columns[6].split("\\|")) {
            document.add(new StringField("reader", entry, Field.Store.NO));
        }

        for (int i = 0; i < TEXTS.length; ++i) {
            for (String value : columns[7 + i].split("\\|")) {
                document.add(new TextField(TEXTS[i], value, Field.Store.NO));
                document.add(new TextField("all", value, Field.Store.NO));
            }
        }

        for (int column = 2; column < 6; ++column) {
            document.add(new TextField("all", columns[column], Field.Store.NO));
        }

        return document;
    }

    private static void measure(IndexSearcher searcher, List<Asked> variants, long milliseconds, int rounds) throws Exception {
        StringBuilder sizes = new StringBuilder();
        for (Asked asked : variants) {
            sizes.append(sizes.length() == 0 ? "" : ",").append(asked.run(searcher));
        }

        List<Double> times = repeat(searcher, variants, milliseconds, rounds);
        Collections.sort(times);
        System.out.printf(Locale.ROOT, "%s\t%.4f\t%.4f%n", sizes, times.get(times.size() / 2), times.get((int) (times.size() * 0.95)));
    }

    private static List<Double> repeat(IndexSearcher searcher, List<Asked> variants, long milliseconds, int rounds) throws Exception {
        List<Double> times = new ArrayList<>();
        long end = System.nanoTime() + milliseconds * 1_000_000;
        for (int round = 0; round < rounds || System.nanoTime() < end; ++round) {
            for (Asked asked : variants) {
                long started = System.nanoTime();
                asked.run(searcher);
                times.add((System.nanoTime() - started) / 1e6);
            }
        }

        return times;
    }

    /** One query: shape, query, first result, results, sort by date, facets, principals. */
    private static class Asked {
        final String shape;
        final Query query;
        final int start;
        final int limit;
        final boolean byDate;
        final boolean hasFacets;

        Asked(String[] columns, Analyzer analyzer) throws Exception {
            shape = columns[0];
            start = Integer.parseInt(columns[2]);
            limit = Integer.parseInt(columns[3]);
            byDate = columns[4].equals("1");
            hasFacets = columns[5].equals("1");
            QueryParser parser = new QueryParser("all", analyzer) {
                @Override
                protected Query getRangeQuery(String field, String low, String high, boolean from, boolean to) {
                    return NumericRangeQuery.newIntRange(field, Integer.valueOf(low), Integer.valueOf(high), from, to);
                }
            };
            parser.setAllowLeadingWildcard(true);
            Query parsed = parser.parse(columns[1]);
            if (columns[6].isEmpty()) {
                query = parsed;
            }
            else {
                BooleanQuery readers = new BooleanQuery();
                for (String principal : columns[6].split("\\|")) {
                    readers.add(new TermQuery(new Term("reader", principal)), BooleanClause.Occur.SHOULD);
                }

                // The service keeps what a caller may read as well.
                Filter filter = new CachingWrapperFilter(new QueryWrapperFilter(readers));
                query = new FilteredQuery(parsed, filter);
            }
        }

        int run(IndexSearcher searcher) throws Exception {
            TotalHitCountCollector total = new TotalHitCountCollector();
            List<Collector> collectors = new ArrayList<>();
            collectors.add(total);
            TopDocsCollector<?> top = null;
            if (limit > 0) {
                top = byDate ? TopFieldCollector.create(new Sort(new SortField("date", SortField.Type.STRING, true)), start + limit, false, false, false, false)
                    : TopScoreDocCollector.create(start + limit, false);
                collectors.add(top);
            }

            FacetCollector facets = new FacetCollector();
            if (hasFacets) {
                collectors.add(facets);
            }

            searcher.search(query, MultiCollector.wrap(collectors.toArray(new Collector[0])));
            if (top != null) {
                for (ScoreDoc hit : top.topDocs(start, limit).scoreDocs) {
                    searcher.doc(hit.doc).get("id");
                }
            }

            return total.getTotalHits();
        }
    }

    /** Counts types and years; there is one segment. */
    private static class FacetCollector extends Collector {
        private final int[] types = new int[64];
        private final int[] years = new int[4096];
        private SortedDocValues typeOf;
        private NumericDocValues yearOf;

        @Override
        public void setScorer(Scorer scorer) {
        }

        @Override
        public void collect(int document) {
            ++types[typeOf.getOrd(document)];
            ++years[(int) yearOf.get(document)];
        }

        @Override
        public void setNextReader(AtomicReaderContext context) throws java.io.IOException {
            typeOf = context.reader().getSortedDocValues("type");
            yearOf = context.reader().getNumericDocValues("year");
        }

        @Override
        public boolean acceptsDocsOutOfOrder() {
            return true;
        }
    }
}
