import { readFileSync } from "node:fs"
import { createServer } from "node:http"

const read = (file) => readFileSync(new URL(file, import.meta.url), "utf8")

/** The files that are served. Nothing else in the folder is. */
const files = {
  "/": { type: "text/html", read: () => read("./index.html") },
  "/styles.css": { type: "text/css", read: () => read("./styles.css") },
  "/script.js": { type: "text/javascript", read: () => read("./script.js") },
}

const server = createServer((request, response) => {
  const file = files[request.url ?? "/"]
  response.writeHead(file ? 200 : 404, { "content-type": `${file?.type ?? "text/plain"}; charset=utf-8` })
  response.end(file ? file.read() : "Not found.")
})

server.listen(Number(process.env.PORT ?? 8080), "localhost", () => {
  const { port } = server.address()
  console.log(`Open http://localhost:${port}`)
})
