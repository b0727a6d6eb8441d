import { expect, it } from "vitest"
import { withEarlyResponses } from "../../../packages/web/src/api/early-responses.ts"

const later: typeof fetch = async (input) => new Response(`later ${input}`)
const textOf = async (response: Promise<Response>) => (await response).text()

it("takes an early response once, and only in place of the request that it answers", async () => {
  const request = withEarlyResponses({ "/v1/me": Promise.resolve(new Response("early")) }, later)
  expect(await textOf(request("/v1/me", { method: "DELETE" }))).toBe("later /v1/me")
  expect(await textOf(request("https://elsewhere.example/v1/me"))).toBe("later https://elsewhere.example/v1/me")
  expect(await textOf(request("/v1/me", { method: "GET" }))).toBe("early")
  expect(await textOf(request("/v1/me"))).toBe("later /v1/me")
})

it("asks again where the early request failed", async () => {
  const failed = Promise.reject(new Error("no network"))
  failed.catch(() => undefined)
  const request = withEarlyResponses({ "/config.json": failed }, later)
  expect(await textOf(request("/config.json"))).toBe("later /config.json")
})
