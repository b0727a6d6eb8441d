import { createJsonServer, notFound } from "../server/json-server.ts"
import { createLinks } from "./links.ts"

/**
 * POST /links      {"url": "https://..."} makes a short link
 * GET /links       lists them, with their visits
 * GET /<code>      redirects to the URL
 * DELETE /<code>   forgets the link
 */
export function createApp(links = createLinks()) {
  return createJsonServer(async ({ method, path, host, readJson }) => {
    const code = path.slice(1)
    switch (`${method} ${path}`) {
      case "GET /":
        return [200, { name: "Sample Project", try: "POST /links" }]
      case "GET /links":
        return [200, links.list()]
      case "POST /links": {
        const link = links.add(await readJson())
        return [201, { ...link, short: `http://${host}/${link.id}` }]
      }
      case `GET /${code}`: {
        const link = links.visit(code)
        return link ? [302, link, { location: link.url }] : notFound
      }
      case `DELETE /${code}`:
        return links.remove(code) ? [200, { removed: code }] : notFound
      default:
        return notFound
    }
  })
}
