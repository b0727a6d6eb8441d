import type { Records } from "@switchyard/core/storage/records"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Gate, openGate, options, root, tiring } from "./gate.ts"

let gate: Gate
beforeEach(async () => {
  gate = await openGate()
})
afterEach(() => gate.close())

const here = { purpose: "socket", resource: "tea" }

async function issued() {
  const { id, secret } = await gate.make()
  const principal = (await gate.tokens.verify(secret, options))?.principal
  if (!principal) throw new Error("The token let nobody in.")
  return { id, principal, ...gate.tickets.issue(principal, here) }
}

describe("a ticket", () => {
  it("admits who asked for it, where it was asked for", async () => {
    const { ticket, principal, expiresAt } = await issued()
    expect(expiresAt).toBe(gate.clock.now() + 60_000)
    expect(await gate.tickets.redeem(ticket, here, options)).toEqual(principal)
  })

  it("admits once, however many come with it at once", async () => {
    const { ticket } = await issued()
    const came = await Promise.all(Array.from({ length: 20 }, () => gate.tickets.redeem(ticket, here, options)))
    expect(came.filter(Boolean)).toHaveLength(1)
    expect(await gate.tickets.redeem(ticket, here, options)).toBeUndefined()
  })

  it("admits nobody after a minute", async () => {
    const [first, second] = [await issued(), await issued()]
    gate.pass(59_999)
    expect(await gate.tickets.redeem(first.ticket, here, options)).toBeDefined()
    gate.pass(1)
    expect(await gate.tickets.redeem(second.ticket, here, options)).toBeUndefined()
  })

  it("admits nobody elsewhere, and is still good here after that", async () => {
    const { ticket } = await issued()
    for (const there of [
      { purpose: "socket", resource: "coffee" },
      { purpose: "download", resource: "tea" },
      { purpose: "socket", resource: "" },
      { purpose: "sockett", resource: "ea" },
    ]) {
      expect(await gate.tickets.redeem(ticket, there, options)).toBeUndefined()
    }
    expect(await gate.tickets.redeem(ticket, here, options)).toBeDefined()
  })

  it("admits nobody once its owner's token is revoked", async () => {
    const { ticket, id } = await issued()
    await gate.tokens.revoke(root, id, options)
    expect(await gate.tickets.redeem(ticket, here, options)).toBeUndefined()
  })

  it("is none if any of its characters is another, or one is missing or more", async () => {
    const { ticket } = await issued()
    for (let i = 0; i < ticket.length; i++) {
      const other = ticket[i] === "A" ? "B" : "A"
      const altered = ticket.slice(0, i) + other + ticket.slice(i + 1)
      expect(await gate.tickets.redeem(altered, here, options), altered).toBeUndefined()
    }
    for (const altered of [ticket.slice(0, -1), `${ticket}A`, `${ticket}.`, `${ticket}=`, ` ${ticket}`, "", "."]) {
      expect(await gate.tickets.redeem(altered, here, options), altered).toBeUndefined()
    }
    expect(await gate.tickets.redeem(ticket, here, options)).toBeDefined()
  })

  it("is none if it was signed with another key", async () => {
    const { principal } = await issued()
    const { ticket } = gate.ticketsUnder(2).issue(principal, here)
    expect(await gate.tickets.redeem(ticket, here, options)).toBeUndefined()
    expect(await gate.ticketsUnder(2).redeem(ticket, here, options)).toBeDefined()
  })

  it("admits who comes first though the store's reply to that is lost", async () => {
    let lost = false
    await gate.close()
    gate = await openGate((records: Records) => ({
      ...records,
      async put(...args) {
        const version = await records.put(...args)
        return lost ? undefined : version
      },
    }))
    const { ticket } = await issued()
    lost = true
    expect(await gate.tickets.redeem(ticket, here, options)).toBeDefined()
    expect(await gate.tickets.redeem(ticket, here, options)).toBeUndefined()
  })

  it("admits nobody while nobody can tell whether it was used", async () => {
    const store = tiring()
    await gate.close()
    gate = await openGate(store.around)
    const { ticket } = await issued()
    store.tire()
    await expect(gate.tickets.redeem(ticket, here, options)).rejects.toThrow("Not now.")
  })
})
