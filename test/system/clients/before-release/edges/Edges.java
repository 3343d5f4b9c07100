import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** Sends content as java.net.http does it: with an offer of h2c, with Expect, and after pauses. */
public class Edges {
  static final HttpClient client = HttpClient.newHttpClient();

  static void post(String url, int expected, boolean expect, String content) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/api/todos"))
            .header("Content-Type", "application/json")
            .expectContinue(expect)
            .POST(BodyPublishers.ofString(content))
            .build();
    int status = client.send(request, BodyHandlers.ofString()).statusCode();
    if (status != expected) throw new AssertionError(status + " instead of " + expected);
  }

  public static void main(String[] args) throws Exception {
    String item = "{\"title\":\"Java\"}";
    for (int i = 0; i < 10; i++) post(args[0], 201, false, item);
    post(args[0], 201, true, item);
    post(args[0], 400, true, "{");
    post(args[0], 201, false, item);
    post(args[1], 201, false, item);
    for (int i = 2; i < args.length; i++) {
      Thread.sleep(Long.parseLong(args[i]));
      post(args[1], 201, false, item);
    }
  }
}
