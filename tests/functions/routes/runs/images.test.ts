import { createHash } from "node:crypto"
import { ModelError } from "@switchyard/core/models/errors"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { modelFor } from "../../../core/work/workflow/model.ts"
import { dataUri, pngOf } from "../../../fixtures/images.ts"
import { textAnswer } from "../../../fixtures/scripted-model.ts"
import { startServer, type TestServer } from "../../server.ts"

const MODEL = "scripted/test"
const PAGE = pngOf(1200, 800)
const options = { signal: new AbortController().signal }

/** Number of unusable plans before the planner answers correctly. */
let failures = 0
const model = modelFor(["index.html"], ({ output, tools = [] }) => {
  if (tools.some(({ name }) => name === "finish")) return new ModelError("invalid_request", "I coordinate nothing.")
  return output?.name === "plan" && failures-- > 0 ? textAnswer("no plan") : undefined
})
let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: model })
})
beforeEach(() => {
  failures = 0
  model.requests.length = 0
})
afterAll(() => server.close())

const imagesOf = ({ messages: [first] }: ModelRequest) => (first?.role === "user" ? (first.images ?? []) : [])
const subjectOf = ({ output }: ModelRequest) => output?.name ?? "file"
const start = (json: object) =>
  server.call("POST", "/v1/runs", { json: { user_prompt: "Build this.", model: MODEL, ...json } })

async function upload(sessionId: string, bytes: Buffer<ArrayBuffer>, name = "page.png") {
  const body = new FormData()
  body.append("file", new File([bytes], name))
  return server.call("POST", `/api/v1/sessions/${sessionId}/uploads`, { body })
}
const openSession = async () => (await server.call("POST", "/api/v1/sessions", { json: {} })).body.id as string

async function refusalOf(json: object): Promise<string> {
  const { status, body } = await start(json)
  expect(status).toBeGreaterThanOrEqual(400)
  return `${body.error.code}: ${[body.error.message, ...(body.error.details?.errors ?? []).map((one: { message: string }) => one.message)].join(" ")}`
}

describe("the images of a run", () => {
  it("reach the planner, the architect and the coder, before all texts", async () => {
    const { run_id } = await server.run({
      ...{ user_prompt: "Build this.", model: MODEL },
      images: [{ src: dataUri(PAGE, "image/jpeg"), name: "page.png" }],
    })
    expect(model.requests.map(subjectOf)).toEqual(["plan", "task_plan", "file"])
    for (const request of model.requests) {
      expect(imagesOf(request)).toMatchObject([
        { media_type: "image/png", base64: PAGE.toString("base64"), width: 1200, height: 800 },
      ])
      expect(JSON.stringify([request.messages[0]])).toContain("an image, shown above")
    }
    const events = (await server.call("GET", `/v1/runs/${run_id}/events`)).text
    expect(events).toContain('"name":"page.png"')
    expect(events).not.toContain(PAGE.toString("base64").slice(0, 40))
  })

  it("may be uploads, and stay with a run that another server continues", async () => {
    const workspace_id = await openSession()
    const { status, body } = await upload(workspace_id, PAGE)
    expect([status, body]).toMatchObject([201, { media_type: "image/png", width: 1200, height: 800 }])
    failures = 2
    const failed = await server.run({ user_prompt: "Build this.", model: MODEL, workspace_id, images: [body.path] })
    expect(failed.status).toBe("failed")
    await server.stop()
    server = await startServer({ scripted: model, after: server })
    const resumed = await server.call("POST", `/v1/runs/${failed.run_id}/resume`)
    expect((await server.ended(resumed.body.run_id)).status).toBe("completed")
    expect(model.requests.map(subjectOf)).toEqual(["plan", "plan", "plan", "task_plan", "file"])
    expect(model.requests.map((request) => imagesOf(request).length)).toEqual([1, 1, 1, 1, 1])
  })

  it("are refused if they aren't what they claim to be, too many, too large, or of no use", async () => {
    const svg = Buffer.from(
      "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>alert(1)</script></svg>",
    )
    const page = dataUri(PAGE)
    expect(await refusalOf({ images: [dataUri(svg)] })).toContain("Image 1 is not a PNG, JPEG, GIF or WebP image")
    expect(await refusalOf({ images: [page, { src: dataUri(svg, "image/svg+xml"), name: "logo.svg" }] })).toContain(
      "The image logo.svg is not a PNG",
    )
    expect(await refusalOf({ images: [page, page, page, page, page, page] })).toContain("at most 5 images")
    expect(await refusalOf({ images: [dataUri(pngOf(9000, 10))] })).toContain("9000 × 10 pixels. Send at most 8000")
    expect(await refusalOf({ images: ["data:image/png,abc"] })).toContain("not a valid data URI")
    expect(await refusalOf({ images: ["https://example.com/a.png"] })).toContain("neither a data URI nor")
    expect(await refusalOf({ images: [`artifacts/${"a".repeat(64)}`] })).toContain("as workspace_id")
    const id = await openSession()
    const most = 5 * 1024 * 1024
    expect((await upload(id, pngOf(10, 10, most))).status).toBe(201)
    expect((await upload(id, pngOf(10, 10, most + 1))).body.error.message).toContain("larger than 5 MB")
    expect((await upload(id, pngOf(10, 10, most + 100_000))).status).toBe(413)
    expect((await upload(id, Buffer.from(svg), "a.png")).status).toBe(422)
  })

  it("are refused if they were uploaded to another session", async () => {
    const [mine, other] = [await openSession(), await openSession()]
    const { body } = await upload(other, PAGE)
    expect(await refusalOf({ workspace_id: mine, images: [body.path] })).toContain("not among the session's uploads")
    expect(model.requests).toEqual([])
  })

  it("are refused for models that can't look at them, with a way out", async () => {
    const images = [dataUri(PAGE)]
    for (const name of ["scripted/demo", "groq/openai/gpt-oss-120b", "openai/o3-mini"]) {
      const refused = await refusalOf({ model: name, images, api_key: "key-of-nobody" })
      expect(refused).toContain(`invalid_request: ${name} can't look at images. Choose a model that can`)
      expect(refused).toContain("or leave the images out")
    }
  })

  it("fail a run clearly if they are gone before it continues", async () => {
    const request = {
      user_prompt: "Build this.",
      model: MODEL,
      images: [{ src: dataUri(pngOf(7, 7)), name: "logo.png" }],
    }
    failures = 2
    const failed = await server.run(request)
    const sha256 = createHash("sha256").update(pngOf(7, 7)).digest("hex")
    for await (const { key } of server.stores.blobs.list("", options)) {
      if (key.endsWith(sha256)) await server.stores.blobs.remove(key, options)
    }
    const resumed = await server.call("POST", `/v1/runs/${failed.run_id}/resume`)
    const ended = await server.ended(resumed.body.run_id)
    expect([ended.status, ended.error?.message]).toEqual([
      "failed",
      expect.stringContaining("The image logo.png is no longer stored."),
    ])
  })

  it("reach the chat and a team's coordinator too", async () => {
    const workspace_id = await openSession()
    const path = `/api/v1/sessions/${workspace_id}/chat`
    const images = [{ src: dataUri(PAGE), name: "page.png" }]
    const asked = await server.call("POST", path, { json: { message: "What is this?", model: MODEL, images } })
    expect(asked.status, asked.text).toBe(202)
    await server.call("GET", `${path}/stream?request_id=${asked.body.request_id}`)
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ images: [{ base64: PAGE.toString("base64") }] })
    model.requests.length = 0
    const team = await server.call("POST", "/api/v1/teams", { json: { goal: "Build it.", model: MODEL, images } })
    expect(team.status, team.text).toBe(201)
    await server.ended(team.body.run_id)
    expect(model.requests[0]?.messages[0]).toMatchObject({ images: [{ base64: PAGE.toString("base64") }] })
  })
})
