import { AppError } from "@switchyard/core/errors"
import { NewToken } from "@switchyard/core/people/access/schema"
import type { Records } from "@switchyard/core/storage/records"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ADMIN_TOKEN, DAY_MS, type Gate, openGate, options, root, tiring } from "./gate.ts"

let gate: Gate
beforeEach(async () => {
  gate = await openGate()
})
afterEach(() => gate.close())

const listed = async (by = root) => (await Array.fromAsync(gate.tokens.list(by, options))).map(({ id }) => id)
const everything = async () => JSON.stringify(await Array.fromAsync(gate.records.range("tokens")))

describe("a token", () => {
  it("lets its bearer in as its owner, with its scopes and no others", async () => {
    const { id, secret } = await gate.make({ scopes: ["run"] })
    const standing = await gate.tokens.verify(secret, options)
    expect(standing?.principal).toEqual({ owner: "ada", scopes: ["run"], tokenId: id })
  })

  it("belongs to who made it, unless it is made for somebody else", async () => {
    expect((await gate.make({ owner: undefined })).owner).toBe("admin")
    expect((await gate.make({ owner: "ada" })).owner).toBe("ada")
  })

  it("says who made it", async () => {
    const { id } = await gate.make({ owner: "ada" })
    const [token] = await Array.fromAsync(gate.tokens.list({ owner: "ada", scopes: ["read"], tokenId: id }, options))
    expect(token).toMatchObject({ owner: "ada", created_by: "admin" })
  })

  it("says of nobody that they made it where that wasn't recorded", async () => {
    const { id } = await gate.make()
    const [record] = await Array.fromAsync(gate.records.range("tokens"))
    const { created_by: _, ...before } = record?.value ?? {}
    await gate.records.put({ partition: "tokens", sort: id }, { value: before })
    expect(await Array.fromAsync(gate.tokens.list(root, options))).toMatchObject([{ id, created_by: null }])
  })

  it("is one of many that an owner may have", async () => {
    const secrets = [await gate.make(), await gate.make(), await gate.make()].map(({ secret }) => secret)
    expect(new Set(secrets).size).toBe(3)
    for (const secret of secrets) {
      expect((await gate.tokens.verify(secret, options))?.principal.owner).toBe("ada")
    }
  })

  it("is kept in a form that lets nobody in", async () => {
    const { secret, id } = await gate.make()
    const kept = await everything()
    expect(kept).toContain(id)
    expect(kept).not.toContain(secret)
    expect(kept).not.toContain(secret.split("_")[2])
    const { hash } = JSON.parse(kept)[0].value
    for (const text of [hash, `sy_${id.slice(4)}_${hash.slice(0, 40)}`]) {
      expect(await gate.tokens.verify(text, options)).toBeUndefined()
    }
  })

  it("is not told by the list", async () => {
    const { secret, ...token } = await gate.make()
    const [told] = await Array.fromAsync(gate.tokens.list(root, options))
    expect(told).toEqual(token)
    expect(JSON.stringify(told)).not.toContain(secret.split("_")[2])
    expect(JSON.stringify(told)).not.toContain("hash")
  })

  it("is nobody's if any of its characters is another", async () => {
    const { secret } = await gate.make()
    for (let i = 0; i < secret.length; i++) {
      const other = secret[i] === "0" ? "1" : "0"
      const altered = secret.slice(0, i) + other + secret.slice(i + 1)
      expect(await gate.tokens.verify(altered, options), altered).toBeUndefined()
    }
  })

  it("is nobody's with another token's secret", async () => {
    const [mine, theirs] = [await gate.make(), await gate.make({ owner: "bob" })]
    const crossed = `sy_${mine.id.slice(4)}_${theirs.secret.split("_")[2]}`
    expect(await gate.tokens.verify(crossed, options)).toBeUndefined()
  })

  it.each(["", " ", "sy_", "sy__", "admin", "tokens", "sy_admin_", "\0", "é".repeat(94), "x".repeat(100_000)])(
    "can't be %j",
    async (text) => {
      expect(await gate.tokens.verify(text, options)).toBeUndefined()
    },
  )

  it("is good until it expires, and not at that moment", async () => {
    const { id, secret, expires_at } = await gate.make({ expires_in_days: 2 })
    expect(expires_at).toBe(new Date(gate.clock.now() + 2 * DAY_MS).toISOString())
    gate.pass(2 * DAY_MS - 1)
    expect(await gate.tokens.verify(secret, options)).toBeDefined()
    gate.pass(1)
    expect(await gate.tokens.verify(secret, options)).toBeUndefined()
    expect(await gate.tokens.verifyId(id, options)).toBeUndefined()
    expect(await listed()).toEqual([id])
  })

  it("is good for ever if it doesn't expire", async () => {
    const { secret } = await gate.make()
    gate.pass(10_000 * DAY_MS)
    expect(await gate.tokens.verify(secret, options)).toBeDefined()
  })

  it("is over once it is revoked", async () => {
    const [kept, revoked] = [await gate.make(), await gate.make()]
    await gate.tokens.revoke(root, revoked.id, options)
    expect(await gate.tokens.verify(revoked.secret, options)).toBeUndefined()
    expect(await gate.tokens.verifyId(revoked.id, options)).toBeUndefined()
    expect(await gate.tokens.verify(kept.secret, options)).toBeDefined()
    expect(await listed()).toEqual([kept.id])
  })
})

describe("the owners of a machine", () => {
  const request = { name: "x", scopes: ["read" as const] }

  it.each(["admin", "local"])("are no names for an admin of another owner to make a token for: %s", async (owner) => {
    const boss = { owner: "boss", scopes: [...root.scopes], tokenId: "tok_boss" }
    const refused = expect(gate.tokens.create(boss, { ...request, owner }, options)).rejects
    await refused.toMatchObject({ code: "forbidden", details: { owner } })
    expect(await gate.tokens.create(boss, { ...request, owner: "ada" }, options)).toMatchObject({ owner: "ada" })
    for (const by of [root, { ...root, owner: "local" }]) {
      expect(await gate.tokens.create(by, { ...request, owner }, options)).toMatchObject({ owner })
    }
    // A token of such an owner may create further tokens for this owner.
    expect(await gate.tokens.create({ ...boss, owner }, request, options)).toMatchObject({ owner })
  })
})

describe("what a token may revoke", () => {
  it("is what can do no more than itself", async () => {
    const runner = await gate.make({ scopes: ["run"] })
    const other = await gate.make({ scopes: ["run"] })
    const reader = await gate.make({ scopes: ["read", "run"] })
    const by = { owner: "ada", scopes: ["run" as const], tokenId: runner.id }
    await expect(gate.tokens.revoke(by, reader.id, options)).rejects.toMatchObject({
      code: "forbidden",
      details: { scopes: ["read"] },
    })
    expect(await gate.tokens.verify(reader.secret, options)).toBeDefined()
    for (const { id } of [other, runner]) await gate.tokens.revoke(by, id, options)
    expect(await listed()).toEqual([reader.id])
  })

  it("is everything for an admin, whatever else that may do", async () => {
    const { id } = await gate.make({ scopes: ["read", "run"] })
    await gate.tokens.revoke({ owner: "boss", scopes: ["admin"], tokenId: "tok_boss" }, id, options)
    expect(await listed()).toEqual([])
  })
})

describe("when a token was last used", () => {
  const lastUse = async () => (await Array.fromAsync(gate.tokens.list(root, options)))[0]?.last_used_at
  const now = () => new Date(gate.clock.now()).toISOString()

  it("is unknown at first, and then known to the minute", async () => {
    const { secret } = await gate.make()
    expect(await lastUse()).toBeNull()
    const first = now()
    await gate.tokens.verify(secret, options)
    gate.pass(59_999)
    await gate.tokens.verify(secret, options)
    expect(await lastUse()).toBe(first)
    gate.pass(1)
    await gate.tokens.verify(secret, options)
    expect(await lastUse()).toBe(now())
  })

  it("is not moved by those who only guess", async () => {
    const { secret } = await gate.make()
    await gate.tokens.verify(`${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`, options)
    expect(await lastUse()).toBeNull()
  })

  it("neither forgets the end of a token nor brings one back that is revoked meanwhile", async () => {
    const puts: unknown[] = []
    let before = async () => {}
    await gate.close()
    gate = await openGate((records: Records) => ({
      ...records,
      async put(key, body, put) {
        await before()
        puts.push(put?.expiresAt)
        return records.put(key, body, put)
      },
    }))
    const { id, secret } = await gate.make({ expires_in_days: 1 })
    await gate.tokens.verify(secret, options)
    expect(puts).toEqual([puts[0], puts[0]])
    expect(puts[0]).toBeGreaterThan((gate.clock.now() + DAY_MS) / 1000)

    gate.pass(60_000)
    before = () => gate.tokens.revoke(root, id, options)
    await gate.tokens.verify(secret, options)
    expect(await listed()).toEqual([])
  })

  it("keeps nobody out when it can't be written", async () => {
    const store = tiring()
    await gate.close()
    gate = await openGate(store.around)
    const { secret } = await gate.make()
    store.tire()
    expect(await gate.tokens.verify(secret, options)).toBeDefined()
    expect(gate.reported).toHaveLength(1)
  })
})

describe("a store that can't be asked", () => {
  it("makes nobody a stranger: that it fails is said", async () => {
    let fails = false
    await gate.close()
    gate = await openGate((records: Records) => ({
      ...records,
      get: async (...args) => {
        if (fails) throw new AppError("storage_unavailable", "Not now.")
        return records.get(...args)
      },
    }))
    const { secret } = await gate.make()
    fails = true
    await expect(gate.tokens.verify(secret, options)).rejects.toThrow("Not now.")
    expect(await gate.tokens.verify(ADMIN_TOKEN, options)).toBeDefined()
  })
})

describe("the admin token", () => {
  it("lets in whoever installed it all, for everything", async () => {
    expect((await gate.tokens.verify(ADMIN_TOKEN, options))?.principal).toEqual(root)
  })

  it.each([ADMIN_TOKEN.slice(0, -1), `${ADMIN_TOKEN} `, ADMIN_TOKEN.toUpperCase(), "admin", "undefined"])(
    "is not %j",
    async (text) => {
      expect(await gate.tokens.verify(text, options)).toBeUndefined()
    },
  )

  it("is none where none is configured", async () => {
    const { tokens } = gate.withAdmin(undefined)
    for (const text of [ADMIN_TOKEN, "", "undefined"]) expect(await tokens.verify(text, options)).toBeUndefined()
    expect(await tokens.verifyId("admin", options)).toBeUndefined()
  })

  it("can't be revoked but where it was configured", async () => {
    await expect(gate.tokens.revoke(root, "admin", options)).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("whose tokens one sees and ends", () => {
  it("are one's own, and for an admin everybody's, oldest first", async () => {
    const ids: string[] = []
    for (const owner of ["ada", "bob", "ada", "bob"]) {
      ids.push((await gate.make({ owner })).id)
      gate.pass(1)
    }
    const ada = { owner: "ada", scopes: ["read" as const, "run" as const], tokenId: "x" }
    expect(await listed(ada)).toEqual([ids[0], ids[2]])
    expect(await listed(root)).toEqual(ids)
  })

  it("are not another's, whose tokens look like none at all", async () => {
    const theirs = await gate.make({ owner: "bob" })
    const ada = { owner: "ada", scopes: ["read" as const, "run" as const], tokenId: "x" }
    const failure = async (id: string) => gate.tokens.revoke(ada, id, options).catch((error) => ({ ...error, at: "" }))
    expect(await failure(theirs.id)).toEqual(await failure("tok_00000000000000000000000000"))
    expect(await gate.tokens.verify(theirs.secret, options)).toBeDefined()
    await gate.tokens.revoke({ ...ada, scopes: ["admin"] }, theirs.id, options)
    expect(await gate.tokens.verify(theirs.secret, options)).toBeUndefined()
  })
})

describe("what may be asked for", () => {
  const asked = { name: "ci", scopes: ["run"] }
  it.each([
    { ...asked, owner: "Ada" },
    { ...asked, owner: "" },
    { ...asked, owner: "a b" },
    { ...asked, owner: "a/b" },
    { ...asked, owner: "a\0b" },
    { ...asked, owner: ".ada" },
    { ...asked, owner: "a".repeat(65) },
    { ...asked, name: " " },
    { ...asked, name: "a\nb" },
    { ...asked, name: "\x1b[2J" },
    { ...asked, scopes: [] },
    { ...asked, scopes: ["root"] },
    { ...asked, expires_in_days: 0 },
    { ...asked, expires_in_days: -1 },
    { ...asked, expires_in_days: 0.5 },
  ])("is not %j", (request) => {
    expect(NewToken.safeParse(request).success).toBe(false)
  })

  it("names owners as people and pipelines are named", () => {
    for (const owner of ["ada", "ada.lovelace@example.org", "ci-nightly_2", "7", undefined, null]) {
      expect(NewToken.safeParse({ ...asked, owner }).success, String(owner)).toBe(true)
    }
  })
})
