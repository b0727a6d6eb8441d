import { errorResponse } from "@switchyard/functions/http/errors"
import { ORIGIN_HEADER, requireOrigin } from "@switchyard/functions/http/origin"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"

const SECRET = "a-secret-that-only-the-router-knows"

const app = new Hono()
app.onError((error, c) =>
  errorResponse(error, c, { report: () => {}, stopping: new AbortController().signal, verbose: false }),
)
app.use(requireOrigin(SECRET))
app.get("/here", (c) => c.text("reached"))

const ask = (headers: Record<string, string>) => app.request("/here", { headers })

describe("the door behind the Router", () => {
  it("lets through what brings the secret", async () => {
    const answer = await ask({ [ORIGIN_HEADER]: SECRET })
    expect(await answer.text()).toBe("reached")
  })

  it.each([
    ["nothing", undefined],
    ["an empty one", ""],
    ["the beginning of it", SECRET.slice(0, -1)],
    ["more than it", `${SECRET}x`],
    ["another one", SECRET.replace("only", "0nly")],
    ["it twice", `${SECRET}, ${SECRET}`],
  ])("answers 403 to what brings %s, and says no more", async (_what, sent) => {
    const answer = await ask(sent === undefined ? {} : { [ORIGIN_HEADER]: sent })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toEqual({
      error: { code: "forbidden", message: "Use the public address of this installation.", details: null },
    })
  })
})
