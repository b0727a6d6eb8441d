/** Requests per client address in five minutes, with `FIREWALL=on`: 200 for each of 150 people behind one address. */
const USUAL_FIREWALL_RATE = 30_000

/** AWS WAF's limits of a rate. */
const RATE = { min: 10, max: 2_000_000_000 }

/** Returns the firewall's rate in requests per five minutes, or undefined without a firewall. Throws for invalid settings. */
export function readFirewall(text = ""): number | undefined {
  if (text === "" || text === "off") return undefined
  if (text === "on") return USUAL_FIREWALL_RATE
  const rate = Number(text)
  if (Number.isInteger(rate) && rate >= RATE.min && rate <= RATE.max) return rate
  throw new Error(
    `FIREWALL is "${text}". It must be "on", "off", or the number of requests that an address may send in five minutes (${RATE.min} to ${RATE.max}).`,
  )
}
