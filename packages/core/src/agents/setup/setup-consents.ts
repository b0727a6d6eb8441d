import * as z from "zod"
import type { Records } from "../../storage/records.ts"
import { CliId } from "../clis/clis.ts"
import type { Consent } from "../conversations/consent-schema.ts"
import type { AllowedSetups } from "./schema.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Owners' consents to their own setup, one per program. A consent covers only one content, and a new one replaces it.
 */
export type SetupConsents = ReturnType<typeof createSetupConsents>

const Stored = z.object({ cli: z.string(), digest: z.string(), items: z.array(z.string()), given_at: z.number() })
const ID_PREFIX = "setup-"

export function createSetupConsents({ records, clock }: { records: Records; clock: { now(): number } }) {
  const partitionOf = (owner: string) => `setup-consents/${owner}`

  async function stored(owner: string, options: Options): Promise<(z.infer<typeof Stored> & { cli: CliId })[]> {
    const found = await Array.fromAsync(records.range(partitionOf(owner), options))
    return found.flatMap(({ value }) => {
      const consent = Stored.parse(value)
      const cli = CliId.safeParse(consent.cli)
      return cli.success ? [{ ...consent, cli: cli.data }] : []
    })
  }

  return {
    /** Returns the digests that the owner has consented to. */
    async allowedFor(owner: string, options: Options): Promise<AllowedSetups> {
      return Object.fromEntries((await stored(owner, options)).map(({ cli, digest }) => [cli, digest]))
    },
    async give(
      owner: string,
      { cli, digest, items }: { cli: CliId; digest: string; items: string[] },
      options: Options,
    ): Promise<void> {
      const value = { cli, digest, items: items.slice(0, 100), given_at: clock.now() }
      await records.put({ partition: partitionOf(owner), sort: cli }, { value }, options)
    },
    async list(owner: string, options: Options): Promise<Consent[]> {
      return (await stored(owner, options)).map(({ cli, digest, items, given_at }) => ({
        ...{ id: ID_PREFIX + cli, kind: "setup", repository: null, given_at: new Date(given_at).toISOString() },
        ...{ cli, digest, files: items },
      }))
    },
    /**
     * Withdraws a consent. Nothing that starts afterwards can rely on it. Returns false if there was no such consent.
     */
    async withdraw(owner: string, id: string, options: Options): Promise<boolean> {
      if (!id.startsWith(ID_PREFIX)) return false
      const key = { partition: partitionOf(owner), sort: id.slice(ID_PREFIX.length) }
      if (!(await records.get(key, options))) return false
      await records.remove(key, options)
      return true
    },
  }
}
