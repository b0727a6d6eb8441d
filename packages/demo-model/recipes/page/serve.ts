import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { stripTypeScriptTypes } from "node:module"
import type { AddressInfo } from "node:net"

const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8")

/** The files that are served. Nothing else in the folder is. */
const files: Record<string, { type: string; read: () => string }> = {
  "/": { type: "text/html", read: () => read("./index.html") },
  "/styles.css": { type: "text/css", read: () => read("./styles.css") },
  // Browsers know no TypeScript: they get the script without its types.
  "/script.ts": { type: "text/javascript", read: () => stripTypeScriptTypes(read("./script.ts")) },
}

const server = createServer((request, response) => {
  const file = files[request.url ?? "/"]
  response.writeHead(file ? 200 : 404, { "content-type": `${file?.type ?? "text/plain"}; charset=utf-8` })
  response.end(file ? file.read() : "Not found.")
})

server.listen(Number(process.env.PORT ?? 8080), "localhost", () => {
  const { port } = server.address() as AddressInfo
  console.log(`Open http://localhost:${port}`)
})
