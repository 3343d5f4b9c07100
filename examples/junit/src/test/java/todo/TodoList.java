package todo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** A list with one item, which closing it removes. */
public class TodoList implements AutoCloseable {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private final String admin;

  /** The address of the list, to which clients append paths. */
  public final String url;

  TodoList(String service, String name) {
    admin = service + "/admin/lists/" + name;
    url = service + "/lists/" + name;
    expectSuccess(send("PUT", admin, "[{\"title\": \"Buy milk\"}]"));
  }

  /** Sets the faults of the list. */
  public void setFaults(String faults) {
    expectSuccess(send("PUT", url + "/admin/faults", "{\"faults\": " + faults + "}"));
  }

  @Override
  public void close() {
    expectSuccess(send("DELETE", admin, ""));
  }

  public static HttpResponse<String> send(String method, String url, String content) {
    var request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Authorization", "Bearer secret")
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(content))
            .build();
    try {
      return CLIENT.send(request, BodyHandlers.ofString());
    } catch (IOException | InterruptedException error) {
      throw new IllegalStateException(error);
    }
  }

  private static void expectSuccess(HttpResponse<String> response) {
    if (response.statusCode() >= 400) throw new IllegalStateException(response.body());
  }
}
