import type { Provider } from "@switchyard/core/people/accounts/schema"
import { expect, it } from "vitest"
import {
  accountRequest,
  blankAccount,
} from "../../../../../packages/web/src/features/settings/accounts/account-form.ts"
import {
  blankCredential,
  loginFaultOf,
} from "../../../../../packages/web/src/features/settings/accounts/credential-fields.tsx"

const credential = { ...blankCredential, api_key: " key " }
const form = { name: " work ", credential, model: " ", reasoning: "high", base_url: "https://a.example" }
const login = { files: ["auth.json"], notice: "It is yours alone." }
const claude = { needs_key: true, supports_reasoning: true, login: null } as Provider
const codex = { ...claude, login } as Provider
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

it("sends the login in place of the key where that is chosen and the agent has one", () => {
  const own = { ...credential, kind: "login" as const, files: { "auth.json": "{}" }, consent: true }
  const { api_key, login } = accountRequest({ ...form, credential: own }, codex)
  expect({ api_key, login }).toEqual({ api_key: undefined, login: { files: { "auth.json": "{}" }, consent: true } })
  expect(accountRequest({ ...form, credential: own }, claude)).toMatchObject({ api_key: "key" })
  expect(loginFaultOf(own, codex)).toBeUndefined()
  expect(loginFaultOf({ ...own, consent: false }, codex)).toMatch(/Agree/)
  expect(loginFaultOf({ ...own, files: {} }, codex)).toMatch(/auth\.json/)
  expect(loginFaultOf({ ...own, files: {} }, claude)).toBeUndefined()
})
