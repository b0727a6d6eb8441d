import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { startServer, type TestServer } from "../../server.ts"

const model = createScriptedProvider(() => textAnswer("Yes."))
let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: model })
})
afterAll(() => server.close())

const project = {
  "src/door.ts": 'import { key } from "./key"\nexport function openDoor(loud: boolean) {\n  return key\n}\n',
  "src/key.ts": "export const key = 1\n",
  "notes.md": "# Notes\n",
}

async function openChat(files: Record<string, string> = project) {
  const { id } = (await server.call("POST", "/api/v1/sessions", { json: {} })).body
  for (const [path, content] of Object.entries(files)) {
    await server.call("PUT", `/workspace/file?workspace_id=${id}`, { json: { path, content } })
  }
  const path = `/api/v1/sessions/${id}`
  return {
    path,
    get: async (suffix: string) => (await server.call("GET", `${path}${suffix}`)).body,
    async turn(message: string) {
      const { body } = await server.call("POST", `${path}/chat`, { json: { model: "scripted/test", message } })
      await server.ended(body.run_id)
    },
  }
}

describe("the symbols of a chat's code", () => {
  it("are mapped once a turn has parsed them, with lines for an editor", async () => {
    const { get, turn } = await openChat()
    expect(await get("/symbols/map")).toMatchObject({ map: "", files: 0, unparsed_files: 2 })
    await turn("Hi")
    const map = "\nsrc/door.ts:\ni→src/key.ts\nf openDoor(loud)\n\nsrc/key.ts: ←1\nv key"
    expect(await get("/symbols/map")).toMatchObject({ variant: "model", map, files: 2, unparsed_files: 0 })
    expect((await get("/symbols/map?variant=editor")).map).toContain("f openDoor(loud) :2")
  })

  it("are those of one file, parsed or not, and none of what is no code", async () => {
    const { get, path } = await openChat()
    expect(await get("/symbols?path=src/door.ts")).toMatchObject({
      is_code: true,
      symbols: [{ name: "openDoor", kind: "function", line: 2 }],
      imports: [{ module: "./key", names: ["key"] }],
    })
    expect(await get("/symbols?path=notes.md")).toMatchObject({ is_code: false, symbols: [] })
    expect((await server.call("GET", `${path}/symbols?path=gone.ts`)).status).toBe(404)
    expect((await server.call("GET", `${path}/symbols?path=../x`)).status).toBe(422)
  })
})

describe("the context of a chat", () => {
  it("is dealt out anew after a rebuild, and what was promoted is where it began", async () => {
    const long = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`src/f${at}.ts`, `export function f${at}${"x".repeat(150)}() {}\n`]),
    )
    const { get, turn, path } = await openChat(long)
    const places = async () => (await get("/chat/context")).context.tiers
    await turn("One")
    const first = await places()
    const { breakdown } = (await get("/chat/context")).context
    expect(breakdown).toMatchObject({ files: 0, urls: 0, history: 0 })
    expect([breakdown.system, breakdown.symbol_map].every((tokens) => tokens > 100)).toBe(true)
    for (const message of ["Two", "Three", "Four", "Five"]) await turn(message)
    const moved = await places()
    expect((await server.call("POST", `${path}/chat/context/rebuild`)).body).toEqual({ status: "rebuilt" })
    await turn("Six")
    const symbols = (tiers: typeof first) =>
      tiers.map(({ tier, contents }: (typeof first)[number]) => [
        tier,
        contents.filter(({ type }: { type: string }) => type === "symbol"),
      ])
    expect(symbols(moved)).not.toEqual(symbols(first))
    expect(symbols(await places())).toEqual(symbols(first))
    const { rebuilt } = (await get("/chat/context")).context
    const partsIn = (tiers: typeof first) =>
      tiers.map(({ contents }: (typeof first)[number]) =>
        contents.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
      )
    expect(rebuilt.map(({ before }: { before: number }) => before)).toEqual(partsIn(moved))
    expect(rebuilt.map(({ after }: { after: number }) => after)).toEqual(partsIn(await places()))
    await turn("Seven")
    expect((await get("/chat/context")).context.rebuilt).toBeUndefined()
    const { messages } = await get("/chat")
    expect(messages).toHaveLength(14)
  })

  it("takes no page of a host that isn't public, and says nothing of it", async () => {
    const { get, path } = await openChat({})
    for (const url of [server.url, "http://169.254.169.254/latest/meta-data", "http://[::1]/", "file:///etc/passwd"]) {
      const { status, body } = await server.call("POST", `${path}/chat/urls`, { json: { url } })
      expect([400, 422], url).toContain(status)
      expect(JSON.stringify(body), url).not.toMatch(/refused|ECONN|private/)
    }
    expect((await get("/chat/context")).pages).toEqual([])
  })
})

describe("the instructions of a chat", () => {
  it("end with its owner's, in place of which a session may have its own", async () => {
    const { get, path, turn } = await openChat({})
    const prefer = (system_extra: string) =>
      server.call("PUT", "/api/v1/config/preferences", { json: { system_extra } })
    const set = (system_extra: string | null) =>
      server.call("PUT", `${path}/chat/system_extra`, { json: { system_extra } })
    const told = async () => {
      await turn("Hi")
      return model.requests.at(-1)?.system?.split("\n\n").at(-1)
    }
    const without = await told()
    expect((await prefer("Answer in rhyme.")).status).toBe(200)
    expect(await told()).toBe("Answer in rhyme.")
    expect((await set("Be brief.")).body).toEqual({ system_extra: "Be brief." })
    expect(await get("/chat")).toMatchObject({ system_extra: "Be brief." })
    expect(await told()).toBe("Be brief.")
    await set("")
    expect(await told()).toBe(without)
    await set(null)
    expect(await told()).toBe("Answer in rhyme.")
    expect((await set("x".repeat(8001))).status).toBe(422)
    await prefer("")
    expect(await told()).toBe(without)
  })
})
