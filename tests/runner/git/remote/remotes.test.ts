import { execFileSync } from "node:child_process"
import { mkdir, readFile } from "node:fs/promises"
import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { clone } from "@switchyard/runner/git/remote/clone"
import { push } from "@switchyard/runner/git/remote/push"
import { type Reach, reachRemote } from "@switchyard/runner/git/remote/remotes"
import { describe, expect, it } from "vitest"
import { serveGit } from "../../../fixtures/git-server.ts"
import { asGit, commit, newRepository, ourGit, plainGit, signal, write } from "../repositories.ts"

const credentials = { username: "bob", password: "c4nary-pässword" }
const BASIC = `Basic ${Buffer.from("bob:c4nary-pässword").toString("base64")}`

const reachOf = (url: string, given: typeof credentials | undefined = credentials, hosts = createHostPolicy(["*"])) =>
  reachRemote({ env: {}, hosts, credentialsFor: async () => given }, { url })

/** Serves a bare repository that requires these credentials. */
async function newRemote() {
  const at = await newRepository()
  const folder = join(at.folder, "served")
  await mkdir(folder)
  execFileSync("git", ["clone", "--bare", "--quiet", at.repo, join(folder, "x.git")])
  const server = await serveGit(folder, credentials)
  return {
    ...at,
    bare: join(folder, "x.git"),
    asked: server.asked,
    url: `http://${server.host}/x.git`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await at[Symbol.asyncDispose]()
    },
  }
}

describe("a remote with credentials", () => {
  it("is cloned and pushed to, by a git that never has them", async () => {
    await using at = await newRemote()
    const calls: string[] = []
    const git = asGit((args, call) => {
      calls.push(JSON.stringify([args, call.env]))
      return ourGit()(args, call)
    })
    const reach = reachOf(at.url)
    const folder = join(at.folder, "clone")
    const repository = await clone(git, { url: at.url, reach }, folder, { signal })
    const config = await readFile(join(folder, "config"), "utf8")
    expect(plainGit(folder, "config", "remote.origin.url")).toBe(at.url)
    await write(at.repo, { new: "x\n" })
    const made = commit(at.repo)
    plainGit(folder, "fetch", "--quiet", at.repo, "main:main")
    await push(git, repository, { branch: "main", remote: "origin", reach }, { signal })
    expect(plainGit(at.bare, "rev-parse", "main")).toBe(made)
    expect(`${config}${calls.join("\n")}`).not.toMatch(/c4nary|bob/)
    expect(new Set(at.asked.map(({ authorization }) => authorization))).toEqual(new Set([BASIC]))
  })

  it.each([
    ["wrong", { ...credentials, password: "wrong" }],
    ["missing", undefined],
  ])("says that others are wanted where they are %s, and where the proxy is nowhere", async (_, given) => {
    await using at = await newRemote()
    const reach: Reach = given ? reachOf(at.url, given) : (task) => task({})
    const failed = await clone(ourGit(), { url: at.url, reach }, join(at.folder, "clone"), { signal }).catch((e) => e)
    expect(failed).toMatchObject({
      code: "repository_error",
      message: "The repository's server requires valid credentials.",
    })
    // Some versions of git name the address, and some don't.
    const named = new Set(failed.details.said.match(/http:\/\/[^\s/']+/g))
    expect([...named].filter((origin) => origin !== new URL(at.url).origin)).toEqual([])
  })

  it("isn't reached through the proxy by anything but git's own requests, and not once git is done", async () => {
    await using at = await newRemote()
    let proxy = ""
    await reachOf(at.url)(
      async (env) => {
        proxy = Object.values(env).flatMap((value) => /^url\.(.*)\.insteadOf$/.exec(value)?.[1] ?? [])[0] ?? ""
        expect(await statusOf(`${proxy}/info/refs?service=git-upload-pack`)).toBe(200)
        const origin = new URL(proxy).origin
        for (const url of [
          `${origin}/info/refs?service=git-upload-pack`,
          `${origin}/x.git/info/refs?service=git-upload-pack`,
          `${proxy}/../y.git/info/refs?service=git-upload-pack`,
          `${proxy}/HEAD`,
          `${proxy}/info/refs`,
          proxy,
        ]) {
          expect([url, await statusOf(url)]).toEqual([url, 404])
        }
        expect(await statusOf(`${proxy}/info/refs?service=git-upload-pack`, "DELETE")).toBe(404)
      },
      { signal },
    )
    await expect(statusOf(`${proxy}/info/refs?service=git-upload-pack`)).rejects.toThrow("ECONNREFUSED")
  })

  it("follows a server that has moved the repository, and shows the credentials to no other server", async () => {
    await using at = await newRemote()
    const seen: (string | undefined)[] = []
    const moved = createServer((request, response) => {
      seen.push(request.headers.authorization)
      const path = (request.url ?? "").replace("/old", "/x.git")
      response.writeHead(301, { location: path.includes("x.git") ? `${new URL(at.url).origin}${path}` : "/" }).end()
    }).listen(0, "127.0.0.1")
    await new Promise((resolve) => moved.once("listening", resolve))
    const url = `http://127.0.0.1:${(moved.address() as AddressInfo).port}/old`
    const failed = clone(ourGit(), { url, reach: reachOf(url) }, join(at.folder, "clone"), { signal })
    await expect(failed).rejects.toMatchObject({ code: "repository_error" })
    moved.close()
    expect(seen).toEqual([BASIC])
    expect(at.asked.map(({ authorization }) => authorization)).toEqual([undefined])
  })
})

describe("a remote on a host that may not be reached", () => {
  const refused = { code: "host_refused" }
  /** Returns a policy that resolves names to a public address for the first lookups, and to this machine afterward. */
  const rebinding = (firstLookups: number) => {
    let lookups = 0
    return createHostPolicy([], async () => [
      { address: lookups++ < firstLookups ? "8.8.8.8" : "127.0.0.1", family: 4 },
    ])
  }

  it.each(["http://127.0.0.1:1/x.git", "ssh://git@127.0.0.1/x.git", "git@127.0.0.1:x.git"])(
    "isn't reached: %s",
    async (url) => {
      const never = () => expect.unreachable()
      await expect(reachOf(url, credentials, createHostPolicy([]))(never, { signal })).rejects.toMatchObject(refused)
    },
  )

  it.each([1, 2])(
    "isn't reached by a name that led elsewhere at the first lookup, or at the first %i",
    async (first) => {
      await using at = await newRemote()
      const url = at.url.replace("127.0.0.1", "rebound.example.org")
      const reach = reachOf(url, credentials, rebinding(first))
      const failed = clone(ourGit(), { url, reach }, join(at.folder, "clone"), { signal })
      await expect(failed).rejects.toMatchObject({ message: "The repository's server can't be reached." })
      expect(at.asked).toEqual([])
    },
  )

  it("isn't reached by a redirect either", async () => {
    await using at = await newRemote()
    const moved = createServer((request, response) => {
      response.writeHead(302, { location: `${at.url}${(request.url ?? "").replace("/old", "")}` }).end()
    }).listen(0, "127.0.0.2")
    await new Promise((resolve) => moved.once("listening", resolve))
    const url = `http://127.0.0.2:${(moved.address() as AddressInfo).port}/old`
    const reach = reachOf(url, credentials, createHostPolicy(["127.0.0.2"]))
    const failed = clone(ourGit(), { url, reach }, join(at.folder, "clone"), { signal })
    await expect(failed).rejects.toMatchObject(refused)
    moved.close()
    expect(at.asked).toEqual([])
  })

  it("is reached where it is listed, without credentials, too", async () => {
    await using at = await newRemote()
    const hosts = createHostPolicy(["127.0.0.1"])
    await clone(ourGit(), { url: at.url, reach: reachOf(at.url, credentials, hosts) }, join(at.folder, "one"), {
      signal,
    })
    const reach = reachRemote({ env: {}, hosts, credentialsFor: async () => undefined }, { url: at.url })
    const failed = clone(ourGit(), { url: at.url, reach }, join(at.folder, "two"), { signal })
    await expect(failed).rejects.toMatchObject(refused)
  })
})

function statusOf(url: string, method = "GET"): Promise<number | undefined> {
  const { host, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    // Not with `fetch`, which would remove the dots from the path.
    const path = url.slice(url.indexOf(host) + host.length) || `${pathname}${search}`
    const [hostname, port] = host.split(":")
    httpRequest({ hostname, port, path, method, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on("error", reject)
      .end()
  })
}
