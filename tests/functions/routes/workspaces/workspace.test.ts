import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { zipOf } from "../../../cli/zip.ts"
import { type Answer, startServer, type TestServer } from "../../server.ts"

let server: TestServer
let sessions = 0
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Creates a workspace and returns requests for its files. */
function workspace(id = `ws${++sessions}`) {
  const at = (path: string) => `?workspace_id=${id}&path=${encodeURIComponent(path)}`
  return {
    id,
    write: (path: string, content: string) =>
      server.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id } }),
    read: (path: string) => server.call("GET", `/workspace/file${at(path)}`),
    remove: (path: string, recursive = "") =>
      server.call("DELETE", `/workspace/path${at(path)}${recursive && `&recursive=${recursive}`}`),
    folder: (path: string) => server.call("POST", "/workspace/folder", { json: { path, workspace_id: id } }),
    rename: (from_path: string, to_path: string, overwrite?: boolean) =>
      server.call("POST", "/workspace/rename", { json: { from_path, to_path, overwrite, workspace_id: id } }),
    tree: async () => (await server.call("GET", `/workspace/tree?workspace_id=${id}`)).body.nodes,
    files: () => server.call("GET", `/workspace/files?workspace_id=${id}`),
  }
}

function refusal({ status, body }: Answer): [number, string] {
  return [status, body.error?.code]
}

describe("a file that is written over what one has seen", () => {
  it("is written over just that, and else stays what it is", async () => {
    const { id, read, write } = workspace()
    const over = (if_sha256: string | null, content: string) =>
      server.call("PUT", "/workspace/file", { json: { path: "a.txt", content, workspace_id: id, if_sha256 } })
    const first = await over(null, "one")
    expect(first).toMatchObject({ status: 200, body: { content: "one" } })
    const second = await over(first.body.sha256, "two")
    expect(second.status).toBe(200)

    for (const stale of [null, first.body.sha256]) {
      const refused = await over(stale, "mine")
      expect(refusal(refused)).toEqual([409, "workspace_conflict"])
      expect(refused.body.error.details.current_sha256).toBe(second.body.sha256)
    }
    expect((await read("a.txt")).body.content).toBe("two")
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body.workspace_version).toBe(2)
    // A write without a hash overwrites any content.
    expect((await write("a.txt", "three")).status).toBe(200)
    expect(refusal(await over("x", "mine"))).toEqual([422, "validation_error"])
  })

  it("is not written where it was and is no more", async () => {
    const { id, remove, write } = workspace()
    const { sha256 } = (await write("a.txt", "one")).body
    await remove("a.txt")
    const json = { path: "a.txt", content: "two", workspace_id: id, if_sha256: sha256 }
    const refused = await server.call("PUT", "/workspace/file", { json })
    expect(refusal(refused)).toEqual([409, "workspace_conflict"])
    expect(refused.body.error.details.current_sha256).toBeNull()
  })
})

describe("a zip that is put into a workspace", () => {
  const put = (workspace_id: string, zip: Buffer | string) => {
    const json = { workspace_id, zip: typeof zip === "string" ? zip : zip.toString("base64") }
    return server.call("PUT", "/workspace/archive", { json })
  }

  it("brings back in one step what a download took home, over what is there", async () => {
    const [from, to] = [workspace(), workspace()]
    await from.write("src/a.ts", "a")
    await from.folder("empty")
    const link = await server.call("GET", `/workspace/download?workspace_id=${from.id}&link=1`)
    const zip = Buffer.from(await (await fetch(link.body.url)).arrayBuffer())
    await to.write("src/a.ts", "older")
    await to.write("mine.txt", "stays")
    expect(await put(to.id, zip)).toMatchObject({ status: 200, body: { workspace_id: to.id, files: 1 } })
    expect((await to.files()).body.files).toEqual({ "mine.txt": "stays", "src/a.ts": "a" })
    expect((await server.call("GET", `/api/v1/sessions/${to.id}`)).body.workspace_version).toBe(3)
    expect(JSON.stringify(await to.tree())).toContain("empty")
  })

  it("changes nothing, and makes no session, where it can't be taken", async () => {
    const { id } = workspace()
    const hostile = zipOf([{ name: "good.txt" }, { name: "../evil", content: "x" }])
    const refusals = [await put(id, hostile), await put(id, Buffer.from("no zip")), await put(id, "no base64!")]
    const codes = ["workspace_validation_error", "workspace_validation_error", "validation_error"]
    expect(refusals.map(refusal)).toEqual(codes.map((code) => [422, code]))
    expect(refusal(await put(id, Buffer.alloc(4_000_000)))).toEqual([413, "payload_too_large"])
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).status).toBe(404)
  })
})

describe("git's own folder", () => {
  it.each([".git/config", "a/.GIT/hooks/pre-commit", "GIT~1/config", ".g\u200cit/config", ".git./config", "sub/.git"])(
    "is written by no request as %j",
    async (path) => {
      const { id, write, folder, rename, files } = workspace()
      await write("a.txt", "a")
      const zip = zipOf([{ name: "good.txt" }, { name: path, content: "[core] fsmonitor = touch pwned" }])
      const archive = { workspace_id: id, zip: zip.toString("base64") }
      const answers = [
        await write(path, "[core] fsmonitor = touch pwned"),
        await folder(path),
        await rename("a.txt", path),
        await server.call("PUT", "/workspace/archive", { json: archive }),
      ]
      expect(answers.map(refusal)).toEqual(answers.map(() => [422, "workspace_validation_error"]))
      expect((await files()).body.files).toEqual({ "a.txt": "a" })
    },
  )
})

describe("a workspace is named", () => {
  const touch = async (query: string, header: string | undefined, json?: unknown) => {
    const headers = header === undefined ? undefined : { "x-workspace-id": header }
    return (await server.call("POST", `/workspace/session/touch${query}`, { headers, json })).body.workspace_id
  }

  it("by the body, else the query, else the header, else it is the default", async () => {
    expect(await touch("?workspace_id=q", "h", { workspace_id: " b " })).toBe("b")
    expect(await touch("?workspace_id=%20q%20", "h", { workspace_id: " " })).toBe("q")
    expect(await touch("?workspace_id=", " h ", {})).toBe("h")
    expect(await touch("", "", { workspace_id: null })).toBe("default")
    expect(await touch("", undefined)).toBe("default")
  })

  it.each(["../x", "a b", "é", "a/b", "x".repeat(129), "%00", "a\u202eb"])("and never as %j", async (id) => {
    const query = await server.call("GET", `/workspace/tree?workspace_id=${encodeURIComponent(id)}`)
    expect(refusal(query)).toEqual([422, "workspace_validation_error"])
    const body = await server.call("PUT", "/workspace/file", { json: { path: "a", content: "", workspace_id: id } })
    expect(refusal(body)).toEqual([422, "workspace_validation_error"])
  })

  it("with up to 128 letters, digits, hyphens and underscores", async () => {
    const id = `A-z_9${"x".repeat(123)}`
    expect(await touch(`?workspace_id=${id}`, undefined)).toBe(id)
  })

  it("once: two ids in a query are none", async () => {
    expect(refusal(await server.call("GET", "/workspace/tree?workspace_id=a&workspace_id=b"))).toEqual([
      422,
      "validation_error",
    ])
  })
})

describe("a session", () => {
  it("is created with an id of its own, and expires an hour later", async () => {
    const { body } = await server.call("POST", "/workspace/session")
    expect(body.workspace_id).toMatch(/^[0-9a-f]{32}$/)
    const leftMs = Date.parse(body.expires_at) - Date.now()
    expect(leftMs).toBeGreaterThan(59 * 60_000)
    expect(leftMs).toBeLessThanOrEqual(60 * 60_000)
  })

  it("that isn't there is created by a touch, and deleted without complaint", async () => {
    expect((await server.call("POST", "/workspace/session/touch?workspace_id=unheard-of")).status).toBe(200)
    for (const id of ["never-was", "unheard-of", "unheard-of"]) {
      const { body } = await server.call("DELETE", `/workspace/session?workspace_id=${id}`)
      expect(body).toEqual({ workspace_id: id, deleted: true })
    }
  })

  it("is touched and deleted by its path, too", async () => {
    for (const id of ["by-path", "by-path"]) {
      const { status, body } = await server.call("POST", `/workspace/session/${id}/touch`)
      expect([status, body]).toEqual([200, { workspace_id: id, expires_at: expect.any(String) }])
    }
    const ws = workspace("by-path")
    await ws.write("a.txt", "a")
    for (let times = 0; times < 2; times++) {
      const { status, body } = await server.call("DELETE", "/workspace/session/by-path")
      expect([status, body]).toEqual([200, { workspace_id: "by-path", deleted: true }])
    }
    expect(await ws.tree()).toEqual([])
  })

  it.each(["%20", "..%2fx", "x".repeat(129)])("has no path like /workspace/session/%s", async (id) => {
    expect(refusal(await server.call("DELETE", `/workspace/session/${id}`))).toEqual([
      422,
      "workspace_validation_error",
    ])
    const touched = await server.call("POST", `/workspace/session/${id}/touch`)
    expect(refusal(touched)).toEqual([422, "workspace_validation_error"])
  })

  it("begins anew when it is opened after its end", async () => {
    const ws = workspace()
    await ws.write("old.txt", "old")
    await server.call("DELETE", "/workspace/session", { headers: { "x-workspace-id": ws.id } })
    expect(await ws.tree()).toEqual([])
    await ws.write("new.txt", "new")
    expect((await ws.files()).body.files).toEqual({ "new.txt": "new" })
  })
})

describe("the files", () => {
  it("are deleted by either name of the route", async () => {
    const ws = workspace()
    for (const name of ["path", "file"]) {
      await ws.write("a.txt", "a")
      const { body } = await server.call("DELETE", `/workspace/${name}?workspace_id=${ws.id}&path=a.txt`)
      expect(body).toMatchObject({ path: "a.txt", workspace_id: ws.id })
      expect(await ws.tree()).toEqual([])
    }
  })

  it("are a tree, folders first, then by name whatever its case", async () => {
    const ws = workspace()
    for (const path of ["b.txt", "A.txt", "z/inner.txt"]) await ws.write(path, "text")
    await ws.folder("Empty")
    const { body } = await server.call("GET", `/workspace/tree?workspace_id=${ws.id}`)
    expect(body).toMatchObject({ root: "generated_project", workspace_id: ws.id })
    expect(body.nodes).toEqual([
      { name: "Empty", path: "Empty", type: "directory", children: [] },
      {
        name: "z",
        path: "z",
        type: "directory",
        children: [{ name: "inner.txt", path: "z/inner.txt", type: "file", size: 4 }],
      },
      { name: "A.txt", path: "A.txt", type: "file", size: 4 },
      { name: "b.txt", path: "b.txt", type: "file", size: 4 },
    ])
  })

  it("are all their texts by path, in order", async () => {
    const ws = workspace()
    for (const path of ["b", "a/c", "constructor"]) await ws.write(path, `of ${path}`)
    const { body } = await ws.files()
    expect(Object.keys(body.files)).toEqual(["a/c", "b", "constructor"])
    expect(body).toMatchObject({ workspace_id: ws.id, skipped_binary: [], skipped_large: [] })
  })

  it("are read as they were written, whatever the text", async () => {
    const ws = workspace()
    const text = '\ufeff"quotes", \u2028 lines \r\n and 👩‍👩‍👧 \ue000 end'
    expect((await ws.write(" odd name.txt ", text)).body).toMatchObject({ path: "odd name.txt", content: text })
    expect((await ws.read("odd name.txt")).body).toMatchObject({ path: "odd name.txt", content: text })
  })

  it("may have the names of what every object has", async () => {
    const ws = workspace()
    for (const path of ["__proto__", "toString", "a/__proto__/b"]) {
      await ws.write(path, `of ${path}`)
      expect((await ws.read(path)).body.content).toBe(`of ${path}`)
    }
    expect((await ws.tree()).map(({ name }: { name: string }) => name)).toEqual(["a", "__proto__", "toString"])
  })

  it("hold 400,000 characters as people count them, and not one more", async () => {
    const ws = workspace()
    expect((await ws.write("most.txt", "🦊".repeat(400_000))).status).toBe(200)
    expect((await ws.read("most.txt")).body.content).toHaveLength(800_000)
    const refused = await ws.write("more.txt", "x".repeat(400_001))
    expect(refusal(refused)).toEqual([422, "workspace_validation_error"])
    expect(refusal(await ws.read("more.txt"))).toEqual([404, "workspace_not_found"])
  })

  it.each(["half a 🦊 \ud83e", "a NUL \0"])("never hold %j, which would not come back", async (text) => {
    expect(refusal(await workspace().write("a.txt", text))).toEqual([422, "workspace_validation_error"])
  })

  it.each([
    "..",
    "../x",
    "src/..",
    "a/../../x",
    "/etc/passwd",
    "C:\\x",
    "..\\e.txt",
    "~/x",
    "a//b",
    "a/",
    ".",
    " ",
    "a\0b",
    "a\nb",
    "a/\u0085",
    "x".repeat(256),
    `${"d/".repeat(600)}x`,
  ])("never lie at %j", async (path) => {
    const ws = workspace()
    await ws.write("src/kept.txt", "kept")
    const answers = [
      await ws.write(path, "x"),
      await ws.read(path),
      await ws.remove(path, "true"),
      await ws.folder(path),
      await ws.rename("src", path, true),
      await ws.rename(path, "there", true),
    ]
    for (const answer of answers) expect(refusal(answer)).toEqual([422, "workspace_validation_error"])
    expect((await ws.files()).body.files).toEqual({ "src/kept.txt": "kept" })
  })

  it("refuse to be read where there is none, and where there is a folder", async () => {
    const ws = workspace()
    await ws.folder("folder")
    for (const path of ["folder", "none", "folder/none", "__proto__", "constructor"]) {
      expect(refusal(await ws.read(path))).toEqual([404, "workspace_not_found"])
      if (path !== "folder") expect(refusal(await ws.remove(path))).toEqual([404, "workspace_not_found"])
    }
  })

  it("refuse to stand where something else does", async () => {
    const ws = workspace()
    await ws.write("file", "x")
    await ws.write("folder/file", "x")
    const answers = [
      await ws.write("folder", "over a folder"),
      await ws.write("file/below", "below a file"),
      await ws.folder("file"),
      await ws.folder("file/below"),
      await ws.rename("file", "folder"),
      await ws.rename("folder", "folder/inside"),
      await ws.rename("folder", "folder/inside", true),
      await ws.rename("folder/file", "folder", true),
      await ws.remove("folder"),
      await ws.remove("folder", "false"),
    ]
    for (const answer of answers) expect(refusal(answer)).toEqual([409, "workspace_conflict"])
    expect((await ws.files()).body.files).toEqual({ file: "x", "folder/file": "x" })
  })

  it("survive a rename onto themselves, and make room for others when asked to", async () => {
    const ws = workspace()
    await ws.write("a.txt", "a")
    await ws.write("dir/b.txt", "b")
    expect((await ws.rename("a.txt", "a.txt", true)).body).toMatchObject({ path: "a.txt", workspace_id: ws.id })
    expect((await ws.rename("dir", "dir", true)).status).toBe(200)
    expect((await ws.rename("a.txt", "deep/er/c.txt")).body.path).toBe("deep/er/c.txt")
    expect((await ws.rename("deep/er/c.txt", "dir", true)).status).toBe(200)
    expect((await ws.files()).body.files).toEqual({ dir: "a" })
  })

  it.each(["true", "True", "1", "yes"])("go with their folder when that is said as %j", async (recursive) => {
    const ws = workspace()
    await ws.write("folder/a", "x")
    expect((await ws.remove("folder", recursive)).body).toMatchObject({ path: "folder" })
    expect(await ws.tree()).toEqual([])
  })

  it("come home as a zip, at an address that works for a while", async () => {
    const ws = workspace()
    await ws.write("a.txt", "hello")
    const { status, headers } = await server.call("GET", `/workspace/download?workspace_id=${ws.id}`)
    expect(status).toBe(302)
    const link = await server.call("GET", `/workspace/download?workspace_id=${ws.id}&link=1`)
    expect(Date.parse(link.body.expires_at)).toBeGreaterThan(Date.now())
    for (const url of [headers.get("location") ?? "", link.body.url]) {
      const zip = await fetch(url)
      expect(zip.headers.get("content-type")).toBe("application/zip")
      expect(zip.headers.get("content-disposition")).toContain('filename="generated_project.zip"')
      expect(
        Buffer.from(await zip.arrayBuffer())
          .subarray(0, 4)
          .toString("latin1"),
      ).toBe("PK\x03\x04")
    }
    const accept = { accept: "application/zip, */*;q=0.1" }
    const zip = await server.call("GET", `/workspace/download?workspace_id=${ws.id}`, { headers: accept })
    expect([zip.status, zip.headers.get("content-type"), zip.text.slice(0, 4)]).toEqual([
      ...[200, "application/zip"],
      "PK\x03\x04",
    ])
    const { pathname, search } = new URL(link.body.url)
    expect(refusal(await server.call("GET", `${pathname}${search.replace("zip", "exe")}`))).toEqual([403, "forbidden"])
    expect(refusal(await server.call("GET", `${pathname.slice(0, -4)}${search}`))).toEqual([403, "forbidden"])
    expect(refusal(await server.call("GET", pathname))).toEqual([403, "forbidden"])
  })
})
