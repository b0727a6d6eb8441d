import java.math.BigDecimal;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.RunsApi;
import org.openapitools.client.api.WorkspaceApi;
import org.openapitools.client.model.Run;
import org.openapitools.client.model.RunRequest;

/** Builds a project by the client that openapi-generator made from /openapi.json. */
class Client {
  public static void main(String[] args) throws ApiException {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("SWITCHYARD_URL"));
    String authorization = "Bearer " + System.getenv("SWITCHYARD_TOKEN");
    client.setRequestInterceptor(request -> request.header("Authorization", authorization));
    RunsApi runs = new RunsApi(client);

    RunRequest request = new RunRequest().userPrompt("Make a list.");
    Run run = runs.postRuns(request, null, null, null, null, null);
    while (run.getEndedAt() == null) run = runs.getRun(run.getRunId(), BigDecimal.valueOf(50));
    expect(run.getStatus() == Run.StatusEnum.COMPLETED && run.getError() == null, "The run is " + run);

    String content =
        new WorkspaceApi(client).getWorkspaceFile("index.html", run.getWorkspaceId(), null).getContent();
    expect(!content.isEmpty(), "The file is empty.");

    try {
      runs.postRuns(new RunRequest().userPrompt(" "), null, null, null, null, null);
      throw new AssertionError("A blank prompt was taken.");
    } catch (ApiException refused) {
      expect(refused.getCode() == 422, "A blank prompt was " + refused.getMessage());
      expect(refused.getResponseBody().contains("\"invalid_request\""), refused.getResponseBody());
    }
  }

  private static void expect(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }
}
