import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxyRequest } from "@switchyard/functions/local/preview-proxy"
import { describe, expect, it } from "vitest"
import { never } from "../../settings.ts"

const edit = { maxBytes: 1000, page: (html: Buffer) => Buffer.from(`edited ${html}`) }

/** Starts a project's server on a Unix socket. */
async function serve(listener: RequestListener) {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"))
  const socket = join(folder, "s")
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    ask: (init: RequestInit = {}) =>
      proxyRequest(new Request("http://a.localhost/", init), { socket, headers: {}, edit, signal: never }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true })
    },
  }
}

describe("the proxy of a project's own server", () => {
  it("edits a page whose length isn't said", async () => {
    await using project = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" })
      response.write("<p>one")
      response.end("<p>two")
    })
    expect(await (await project.ask()).text()).toBe("edited <p>one<p>two")
  })

  it("takes no page into memory that has no end", async () => {
    await using project = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" })
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(600)));
      }
      response.on("drain", more)
      more()
    })
    const answer = await project.ask()
    const reader = answer.body?.getReader()
    let size = 0
    while (reader && size < 5000) size += (await reader.read()).value?.length ?? 0
    expect(size).toBeGreaterThanOrEqual(5000)
    await reader?.cancel()
  })

  it("ends the request of a browser that leaves in the middle of an upload", async () => {
    const arrived = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    await using project = await serve((request) => {
      request.once("data", () => arrived.resolve())
      request.on("error", () => {}).on("close", () => left.resolve())
    })
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode("some"))
        await arrived.promise
        controller.error(new Error("The browser left."))
      },
    })
    const init = { method: "POST", body, duplex: "half" }
    await expect(project.ask(init)).rejects.toThrow("The browser left.")
    await left.promise
  })
})
