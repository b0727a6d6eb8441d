// Builds a project by the client that oapi-codegen made from /openapi.json.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"client/switchyard"
)

func main() {
	ctx := context.Background()
	client, err := switchyard.NewClientWithResponses(os.Getenv("SWITCHYARD_URL"), switchyard.WithRequestEditorFn(authorize))
	check(err)

	created, err := client.PostRunsWithResponse(ctx, nil, switchyard.PostRunsJSONRequestBody{UserPrompt: "Make a list."})
	check(err)
	run := created.JSON201
	expect(run != nil, "The run was refused: %s", created.Body)
	for wait := float32(50); run.EndedAt == nil; {
		found, err := client.GetRunWithResponse(ctx, run.RunId, &switchyard.GetRunParams{Wait: &wait})
		check(err)
		run = found.JSON200
		expect(run != nil, "The run isn't found: %s", found.Body)
	}
	expect(run.Status == switchyard.RunStatusCompleted && run.Error == nil, "The run is %s.", run.Status)

	file, err := client.GetWorkspaceFileWithResponse(ctx, &switchyard.GetWorkspaceFileParams{WorkspaceId: &run.WorkspaceId, Path: "index.html"})
	check(err)
	expect(file.JSON200 != nil && file.JSON200.Content != "", "The file isn't there: %s", file.Body)

	refused, err := client.PostRunsWithResponse(ctx, nil, switchyard.PostRunsJSONRequestBody{UserPrompt: " "})
	check(err)
	expect(refused.JSON422 != nil && refused.JSON422.Error.Code == "invalid_request", "A blank prompt was %s.", refused.Status())
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SWITCHYARD_TOKEN"))
	return nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(holds bool, format string, values ...any) {
	if !holds {
		log.Fatalf(format, values...)
	}
}
