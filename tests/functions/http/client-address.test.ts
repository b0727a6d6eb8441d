import { clientAddress } from "@switchyard/functions/http/client-address"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"

const PROXY = "127.0.0.1"

async function addressOf(headers: [string, string][], clientAddressHeader?: string): Promise<string> {
  const app = new Hono().get("/", (c) => c.text(clientAddress(c, { clientAddressHeader })))
  const bindings = { incoming: { socket: { remoteAddress: PROXY } } }
  return (await app.request("/", { headers }, bindings)).text()
}

describe("a client's address", () => {
  it("is the connection's, whatever the headers say, unless one of them is trusted", async () => {
    const headers: [string, string][] = [
      ["X-Forwarded-For", "203.0.113.7"],
      ["X-Real-IP", "203.0.113.7"],
    ]
    expect(await addressOf(headers)).toBe(PROXY)
    expect(await addressOf(headers, "cf-connecting-ip")).toBe(PROXY)
  })

  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["10.0.0.1, 198.51.100.1,203.0.113.7 ", "203.0.113.7"],
    ["203.0.113.7:50123", "203.0.113.7"],
    ["2001:db8::7", "2001:db8::7"],
    ["[2001:db8::7]", "2001:db8::7"],
    ["[2001:db8::7]:50123", "2001:db8::7"],
  ])("is the last one of the trusted header: %s", async (value, expected) => {
    expect(await addressOf([["X-Forwarded-For", value]], "x-forwarded-for")).toBe(expected)
  })

  it("is what the proxy appended, also where the client sent the header itself", async () => {
    const headers: [string, string][] = [
      ["X-Forwarded-For", "192.0.2.1"],
      ["X-Forwarded-For", "203.0.113.7"],
    ]
    expect(await addressOf(headers, "x-forwarded-for")).toBe("203.0.113.7")
  })

  it.each(["", "unknown", "203.0.113.7,", "203.0.113.7, _hidden", "for=203.0.113.7", "999.0.0.1"])(
    "is the connection's where the trusted header ends in no address: %j",
    async (value) => expect(await addressOf([["X-Forwarded-For", value]], "x-forwarded-for")).toBe(PROXY),
  )
})
