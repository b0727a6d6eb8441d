import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { createSendWebhook, signatureOf } from "@switchyard/core/people/webhooks/send"
import { afterEach, describe, expect, it } from "vitest"
import { isSigned, startReceiver } from "../../../fixtures/webhook-receiver.ts"

const { signal } = new AbortController()
const message = { secret: "s3cret", id: "whk_1/que_1", body: '{"a":"ü"}' }
const clock = { now: () => 1_700_000_000_999 }

let receiver: Awaited<ReturnType<typeof startReceiver>>
afterEach(() => receiver.close())

describe("a message to a webhook", () => {
  it("is signed with its secret and its time, and taken if the answer says so", async () => {
    receiver = await startReceiver()
    const send = createSendWebhook({ hosts: createHostPolicy(["*"]), clock })
    expect(await send({ ...message, url: receiver.url }, { signal })).toBeUndefined()
    const [got] = receiver.received
    expect(got).toMatchObject({ path: "/hook", text: message.body, headers: { "switchyard-delivery": "whk_1/que_1" } })
    expect(got && [isSigned(got, "s3cret"), isSigned(got, "other")]).toEqual([true, false])
    expect(got?.headers["switchyard-signature"]).toBe(signatureOf("s3cret", 1_700_000_000, message.body))
  })

  it("goes nowhere but to its address: what that redirects to, nobody asks", async () => {
    receiver = await startReceiver(() => ({ status: 307, location: "/elsewhere" }))
    const send = createSendWebhook({ hosts: createHostPolicy(["*"]), clock })
    expect(await send({ ...message, url: receiver.url }, { signal })).toBe("The URL responded with status 307.")
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"])
  })

  it("never reaches an address that callers may not name, by whatever name", async () => {
    receiver = await startReceiver()
    const resolve = async (host: string) => [{ address: host === "rebound.example" ? "127.0.0.1" : host, family: 4 }]
    const send = createSendWebhook({ hosts: createHostPolicy([], resolve), clock })
    const { port } = receiver
    const refused = new Set<string | undefined>()
    for (const host of [
      "127.0.0.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0x7f.1",
      "2130706433",
      "169.254.169.254",
      "10.0.0.1",
      "0.0.0.0",
      "rebound.example",
    ]) {
      refused.add(await send({ ...message, url: `http://${host}:${port}/` }, { signal }))
    }
    // All refusals have the same text. Different texts would reveal a private network.
    expect([...refused]).toEqual(["Nothing was found at this address, or this server may not connect to it."])
    expect(receiver.received).toEqual([])
  })

  it("goes to the address that was checked, though the name leads elsewhere by then", async () => {
    receiver = await startReceiver()
    let asked = 0
    const resolve = async () => [{ address: asked++ === 0 ? "93.184.216.34" : "127.0.0.1", family: 4 }]
    const send = createSendWebhook({ hosts: createHostPolicy([], resolve), clock })
    const url = `http://rebinding.example:${receiver.port}/`
    expect(await send({ ...message, url }, { signal })).toMatch(/^(Nothing was found|The URL couldn't)/)
    expect(receiver.received).toEqual([])
  })
})
