import { createJsonServer, notFound, wrongMethod } from "../server/json-server.ts"
import { shout } from "./shouting.ts"

/** POST /perform with {"phrase": "..."} answers {"result": ...}. */
export function createApp() {
  return createJsonServer(async ({ method, path, readJson }) => {
    if (path === "/") return [200, { name: "Sample Project", try: "POST /perform" }]
    if (path !== "/perform") return notFound
    if (method !== "POST") return wrongMethod

    const { phrase } = await readJson()
    if (typeof phrase !== "string") throw new Error("Send phrase as text.")
    return [200, { result: shout(phrase) }]
  })
}
