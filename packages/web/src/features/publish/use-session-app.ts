import { PublishedApp, SessionApp } from "@switchyard/core/sessions/apps/schema"
import { keepPreviousData } from "@tanstack/react-query"
import { anything } from "../../api/decode.ts"
import { useChange, useResponse } from "../../session/context/requests.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"

/** Returns the shown session's published app, the files that can be published, and actions on the app. */
export function useSessionApp() {
  const { sessionId: id } = useShownSession()
  const version = useSessionData(({ live }) => live.files.version)
  const call = { path: { id }, response: SessionApp }
  const found = useResponse(["app", id, version], "GET /api/v1/sessions/{id}/app", call, {
    placeholderData: keepPreviousData,
  })
  const publish = useChange(
    (api, name: string) =>
      api.call("POST /api/v1/sessions/{id}/app", { path: { id }, body: { name }, response: PublishedApp }),
    ["app", id],
    ["apps"],
  )
  return { found, publish, withdraw: useWithdrawal() }
}

export function useWithdrawal() {
  return useChange(
    (api, name: string) => api.call("DELETE /api/v1/apps/{name}", { path: { name }, response: anything }),
    ["app"],
    ["apps"],
  )
}

/** Describes what happens to an app when it is unpublished. */
export function withdrawalText({ url, name }: PublishedApp): string {
  return `${url ?? name} will stop working and the published files will be deleted. The session keeps its files. The app's name stays reserved for you for a year.`
}
