import { createJsonServer, found, notFound, wrongMethod } from "../server/json-server.ts"
import { openSamples } from "./samples.ts"

/** Serves the samples over HTTP. */
export function createApp(samples = openSamples()) {
  return createJsonServer(async ({ method, path, readJson }) => {
    const [, root, id, action] = path.split("/")
    if (path === "/") return [200, { name: "Sample Project", try: "GET /samples" }]
    if (root !== "samples") return notFound

    if (id === undefined) {
      if (method === "GET") return [200, samples.list()]
      if (method === "POST") return [201, samples.add(await readJson())]
      return wrongMethod
    }
    if (action === "flag" && method === "POST") return found(samples.flag(id))
    if (action !== undefined) return notFound
    if (method === "GET") return found(samples.get(id))
    if (method === "PATCH") return found(samples.change(id, await readJson()))
    if (method === "DELETE") return samples.remove(id) ? [200, { removed: id }] : notFound
    return wrongMethod
  })
}
