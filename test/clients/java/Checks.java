import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The checks of a Java client. Each is declared with its name in the table; `run` calls those of a group in their order, and prints a line of
 * JSON for each.
 */
final class Checks {

    /** Where the service is, its objects and its users; written by main.ts. */
    static final JsonObject CONFIG = new Gson().fromJson(System.getenv("CLIENT_CHECKS"), JsonObject.class);

    /** A check that takes longer hangs. */
    private static final int LIMIT_SECONDS = 200;

    private final List<String[]> names = new ArrayList<>();
    private final List<Callable<Object>> works = new ArrayList<>();
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    static String config(String name) {

        return CONFIG.get(name).getAsString();
    }

    /** Declares a check: it fails when it throws or returns false. A text that it returns is shown. */
    void add(String group, String name, Callable<Object> work) {

        names.add(new String[] { group, name });
        works.add(work);
    }

    /** Has main.ts do something with the service, and waits until it is done. */
    void askService(String what) throws IOException {

        JsonObject line = new JsonObject();
        line.addProperty("ask", what);
        out.println(line);
        String answer = in.readLine();
        if (!"done".equals(answer)) {
            throw new IOException("answer of main.ts: " + answer);
        }
    }

    void run(String group) {

        ExecutorService executor = Executors.newCachedThreadPool();
        for (int at = 0; at < works.size(); ++at) {
            if (names.get(at)[0].equals(group)) {
                print(names.get(at)[1], executor.submit(works.get(at)));
            }
        }
    }

    private void print(String name, Future<Object> outcome) {

        long started = System.nanoTime();
        JsonObject line = new JsonObject();
        line.addProperty("name", name);
        try {
            Object value = outcome.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            line.addProperty("result", Boolean.FALSE.equals(value) ? "failed" : "ok");
            line.addProperty("detail", value instanceof String ? (String) value : "");
        }
        catch (Exception error) {
            StringWriter text = new StringWriter();
            error.printStackTrace(new PrintWriter(text));
            line.addProperty("result", "failed");
            line.addProperty("detail", text.toString());
        }

        line.addProperty("seconds", (System.nanoTime() - started) / 100_000_000 / 10.0);
        out.println(line);
    }

    /** Calls something so many times in each thread; true when all calls return true. */
    static boolean inThreads(int count, int times, Callable<Boolean> work) throws Exception {

        ExecutorService pool = Executors.newFixedThreadPool(count);
        try {
            Callable<Boolean> all = () -> times(times, work);
            boolean isRight = true;
            for (Future<Boolean> outcome : pool.invokeAll(Collections.nCopies(count, all))) {
                isRight &= outcome.get();
            }

            return isRight;
        }
        finally {
            pool.shutdownNow();
        }
    }

    /** Calls something so many times; true when all calls return true. */
    static boolean times(int times, Callable<Boolean> work) throws Exception {

        boolean isRight = true;
        for (int time = 0; time < times; ++time) {
            isRight &= work.call();
        }

        return isRight;
    }

    /** Calls what has to throw, and returns what it throws. */
    static Exception thrown(Callable<?> work) {

        Object outcome;
        try {
            outcome = work.call();
        }
        catch (Exception error) {
            return error;
        }

        throw new AssertionError("no exception, but " + outcome);
    }

    /** Bytes with every value, line ends and markers of segments among them, different for each size. */
    static byte[] bytesOf(int size) {

        byte[] head = ("\n#\n#\n@\n" + size + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] block = Arrays.copyOf(head, head.length + 256);
        for (int value = 0; value < 256; ++value) {
            block[head.length + value] = (byte) value;
        }

        byte[] bytes = new byte[size];
        for (int at = 0; at < size; ++at) {
            bytes[at] = block[at % block.length];
        }

        return bytes;
    }
}
