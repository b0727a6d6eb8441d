import type { Provider } from "@switchyard/core/people/accounts/schema"
import { expect, it } from "vitest"
import {
  accountRequest,
  blankAccount,
} from "../../../../../packages/web/src/features/settings/accounts/account-form.ts"

const form = { name: " work ", api_key: " key ", model: " ", reasoning: "high", base_url: "https://a.example" }
const claude = { needs_key: true, supports_reasoning: true } as Provider
const mock = { needs_key: false, supports_reasoning: false } as Provider

it("sends what was filled in, without the space around it", () => {
  const filled = { name: "work", api_key: "key", reasoning: "high", base_url: "https://a.example" }
  expect(accountRequest(form, claude)).toEqual({ ...filled, model: undefined })
})

it("sends nothing that the agent has no use for, though it was filled in for another", () => {
  expect(accountRequest({ ...form, model: "small" }, mock)).toEqual({ name: "work", model: "small" })
})

it("leaves it to the server to refuse an account without a name", () => {
  expect(accountRequest(blankAccount, claude).name).toBe("")
})
