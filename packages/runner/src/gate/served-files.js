// Serves a project's files statically, for pages without a server. Plain JavaScript, because any version of Node must
// be able to run it.
import { createReadStream, statSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join, sep } from "node:path"

/** Content types of files that browsers would reject without one. */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
}

/**
 * Serves a folder and returns the port.
 *
 * @param {string} folder
 * @returns {Promise<number>}
 */
export function serveFiles(folder) {
  const server = createServer((request, response) => {
    const file = fileAt(folder, request.url)
    if (file === undefined) return response.writeHead(404).end()
    response.writeHead(200, { "content-type": TYPES[extname(file).toLowerCase()] ?? "application/octet-stream" })
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response)
  })
  return new Promise((resolve, reject) => {
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => resolve(server.address().port))
  })
}

function fileAt(folder, url) {
  try {
    const path = decodeURIComponent(new URL(url, "http://here").pathname)
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path)
    return file.startsWith(folder + sep) && statSync(file).isFile() ? file : undefined
  } catch {
    return undefined
  }
}
