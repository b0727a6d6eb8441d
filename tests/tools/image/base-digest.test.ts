import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, it } from "vitest"
import { pinBase, readDigest } from "../../../tools/image/base-digest.ts"

const dockerfile = readFileSync(join(import.meta.dirname, "../../../Dockerfile"), "utf8")
const digest = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`
const INDEX = JSON.stringify({ schemaVersion: 2, manifests: [] })

/** Starts a registry that gives anyone a token for an image, and requires that token. */
async function startRegistry(type = "application/vnd.oci.image.index.v1+json") {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x")
    if (pathname === "/token") return response.end(JSON.stringify({ token: `for ${searchParams.get("scope")}` }))
    if (request.headers.authorization !== "Bearer for repository:library/node:pull") {
      const about = 'service="registry",scope="repository:library/node:pull"'
      return response.writeHead(401, { "www-authenticate": `Bearer realm="${url}/token",${about}` }).end()
    }
    if (pathname !== "/v2/library/node/manifests/24-bookworm-slim") return response.writeHead(404).end()
    return response.writeHead(200, { "content-type": type, "docker-content-digest": digest("a lie") }).end(INDEX)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const base = (text: string) => /^ARG BASE=(.*)$/m.exec(text)?.[1]

it("pins the base of our Dockerfile by the digest of what the registry serves, again and again", async () => {
  await using registry = await startRegistry()
  const pin = (text: string) => pinBase(text, (image) => readDigest(registry.url, image))
  const pinned = await pin(dockerfile)
  expect(base(pinned)).toBe(`node:24-bookworm-slim@${digest(INDEX)}`)
  expect(await pin(pinned)).toBe(pinned)
  const older = pinned.replace(digest(INDEX), digest("older"))
  expect(await pin(older)).toBe(pinned)
})

it("builds from a base that is pinned by its digest", () => {
  expect(base(dockerfile)).toMatch(/^node:24-bookworm-slim@sha256:[0-9a-f]{64}$/)
})

it("pins nothing that is for one architecture alone, or isn't there", async () => {
  await using single = await startRegistry("application/vnd.oci.image.manifest.v1+json")
  const node = { repository: "library/node", tag: "24-bookworm-slim" }
  await expect(readDigest(single.url, node)).rejects.toThrow("not an image index")
  await using registry = await startRegistry()
  await expect(readDigest(registry.url, { ...node, tag: "none" })).rejects.toThrow("404")
  await expect(pinBase("FROM scratch\n", async () => digest(""))).rejects.toThrow("no line such as")
})
