import type { Records } from "@switchyard/core/storage/records"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ADMIN_TOKEN, DAY_MS, type Gate, openGate, options, root, tiring } from "./gate.ts"

let gate: Gate
beforeEach(async () => {
  gate = await openGate()
})
afterEach(() => gate.close())

async function logIn(request: Parameters<Gate["make"]>[0] = {}) {
  const made = await gate.make(request)
  const login = await gate.logins.open(made.secret, options)
  if (!login) throw new Error("The token let nobody in.")
  return { ...made, login }
}

describe("a login", () => {
  it("stands for the token that it was opened with", async () => {
    const { id, login } = await logIn()
    const found = await gate.logins.find(login.secret, options)
    expect(found?.principal).toMatchObject({ owner: "ada", scopes: ["read", "run"], tokenId: id })
    const { loginId = "" } = found?.principal ?? {}
    expect(await gate.logins.isOpen(loginId, options)).toBe(true)
    expect(found?.csrfToken).toBe(login.csrfToken)
  })

  it.each(["", "sy_x", "not-a-token"])("is not opened by %j", async (text) => {
    expect(await gate.logins.open(text, options)).toBeUndefined()
  })

  it("is found by its secret and by nothing else", async () => {
    const { secret, login } = await logIn()
    const altered = login.secret.slice(0, -1) + (login.secret.endsWith("0") ? "1" : "0")
    for (const text of ["", altered, secret, login.csrfToken, "login", login.secret.toUpperCase()]) {
      expect(await gate.logins.find(text, options), text).toBeUndefined()
    }
  })

  it("has a token for its pages that another login hasn't", async () => {
    const [one, other] = [await logIn(), await logIn()]
    expect(one.login.csrfToken).not.toBe(other.login.csrfToken)
    expect(one.login.csrfToken).not.toContain(one.login.secret)
  })

  it("ends when it is closed, and leaves the others", async () => {
    const [one, other] = [await logIn(), await logIn()]
    await gate.logins.close(one.login.secret, options)
    expect(await gate.logins.find(one.login.secret, options)).toBeUndefined()
    expect(await gate.logins.find(other.login.secret, options)).toBeDefined()
  })

  it("ends with its token, revoked or expired", async () => {
    const revoked = await logIn()
    const expiring = await logIn({ expires_in_days: 1 })
    await gate.tokens.revoke(root, revoked.id, options)
    expect(await gate.logins.find(revoked.login.secret, options)).toBeUndefined()
    expect(await gate.logins.find(expiring.login.secret, options)).toBeDefined()
    gate.pass(DAY_MS)
    expect(await gate.logins.find(expiring.login.secret, options)).toBeUndefined()
  })

  it("of the admin's ends when another admin token is configured", async () => {
    const login = await gate.logins.open(ADMIN_TOKEN, options)
    expect((await gate.logins.find(login?.secret ?? "", options))?.principal).toMatchObject(root)
    for (const adminToken of [`${ADMIN_TOKEN}2`, undefined]) {
      const { logins } = gate.withAdmin(adminToken)
      expect(await logins.find(login?.secret ?? "", options)).toBeUndefined()
    }
  })

  it("ends after a week in which nobody used it", async () => {
    const { login } = await logIn()
    gate.pass(7 * DAY_MS - 1)
    expect(await gate.logins.find(login.secret, options)).toBeDefined()
    gate.pass(7 * DAY_MS - 1)
    expect(await gate.logins.find(login.secret, options)).toBeDefined()
    gate.pass(7 * DAY_MS)
    expect(await gate.logins.find(login.secret, options)).toBeUndefined()
  })

  it("ends after thirty days, however it is used", async () => {
    const { login } = await logIn()
    for (let day = 1; day < 30; day++) {
      gate.pass(DAY_MS)
      expect(await gate.logins.find(login.secret, options), `day ${day}`).toBeDefined()
    }
    gate.pass(DAY_MS)
    expect(await gate.logins.find(login.secret, options)).toBeUndefined()
  })

  it("that is closed while it is used stays closed", async () => {
    let before = async () => {}
    await gate.close()
    gate = await openGate((records: Records) => ({
      ...records,
      async put(...args) {
        await before()
        return records.put(...args)
      },
    }))
    const { login } = await logIn()
    gate.pass(DAY_MS)
    before = () => gate.logins.close(login.secret, options)
    await gate.logins.find(login.secret, options)
    before = async () => {}
    expect(await gate.logins.find(login.secret, options)).toBeUndefined()
  })

  it("is good for who uses it while that can't be noted", async () => {
    const store = tiring()
    await gate.close()
    gate = await openGate(store.around)
    const { login } = await logIn()
    gate.pass(DAY_MS)
    store.tire()
    expect(await gate.logins.find(login.secret, options)).toBeDefined()
    expect(gate.reported).not.toEqual([])
  })
})
