import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { createNewId } from "@switchyard/core/ids"
import { createAccounts } from "@switchyard/core/people/accounts/accounts"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { expect } from "vitest"
import { createClient } from "./client.ts"
import { type Cloud, MASTER_KEY } from "./cloud.ts"
import { OWNER, sidOf } from "./judge.ts"
import type { Scenarios } from "./stage.ts"

/** An executor without a sign of life for this long is presumed dead. */
const PAST_A_LEASE_MS = 61_000
/** A task that waits for a login asks again after this time. */
const PAST_A_WAIT_MS = 16_000

const CANARY = "canary-5d20c7718be94f36"
const FILE = '"$HOME/.mock/login.json"'
/** Renews the login like an agent's program: reads its token, and increments its number. */
const RENEW = `n=$(sed -E 's/.*token-([0-9]+)-.*/\\1/' ${FILE}); sed -i "s/token-$n-/token-$((n+1))-/" ${FILE}`

/** An account with its agent's own login, whose agents work in containers. */
export const logins: Scenarios = {
  async "a login is its agent's alone in a container, is stored as it was renewed, and is left on no disk"({ cloud }) {
    const account = await addAccount(cloud, "alone")
    const task = await account.begin([`stat -c '%a %u' ${FILE} > mode.txt; id -u >> mode.txt`, `cat ${FILE}`, RENEW])
    await task.ended("completed")
    const [mode, user] = (await task.file("mode.txt")).split(/[ \n]/)
    expect([mode, (await task.file("mode.txt")).trim().split("\n")[1]]).toEqual(["600", user])
    expect(await account.stored()).toBe(2)
    expect(await task.log()).not.toContain(CANARY)
    expect(cloud.printed()).not.toContain(CANARY)
    expect(await onDisk(cloud)).toEqual([])
  },

  async "two tasks on one login work one after the other, and no renewal is lost"({ cloud }) {
    const account = await addAccount(cloud, "raced")
    const tasks = await Promise.all([1, 2].map(() => account.begin([RENEW, "sleep 2", RENEW])))
    const done = Promise.all(tasks.map((task) => task.ended("completed")))
    for (let isDone = false; !isDone; ) {
      isDone = await Promise.race([done.then(() => true), pause(1000, false)])
      // The waiting task asks again.
      if (!isDone) await cloud.sweep({ aheadMs: PAST_A_WAIT_MS })
    }
    expect(await account.stored()).toBe(5)
    expect(await onDisk(cloud)).toEqual([])
  },

  async "a login that was renewed before its machine was lost is what the next container works with"({ cloud }) {
    const account = await addAccount(cloud, "lost")
    const task = await account.begin([RENEW, "sleep 15"])
    while ((await account.stored()) !== 2) await pause(50)
    await cloud.ecs.kill(task.sid)
    await cloud.sweep({ aheadMs: PAST_A_LEASE_MS })
    await task.ended("completed")
    expect(cloud.ecs.tasksOf(task.sid)).toHaveLength(2)
    expect(await account.stored()).toBe(3)
    expect(await onDisk(cloud)).toEqual([])
  },

  async "a login of a run that was cancelled, and whose machine was lost, is the next task's at once after its lease"({
    cloud,
  }) {
    const account = await addAccount(cloud, "cancelled")
    const task = await account.begin([RENEW, "sleep 600"])
    while ((await account.stored()) !== 2) await pause(50)
    await cloud.ecs.kill(task.sid)
    await task.cancel()
    await cloud.sweep({ aheadMs: PAST_A_LEASE_MS })
    const next = await account.begin([RENEW])
    const done = next.ended("completed")
    for (let isDone = false; !isDone; ) {
      isDone = await Promise.race([done.then(() => true), pause(1000, false)])
      if (!isDone) await cloud.sweep({ aheadMs: PAST_A_WAIT_MS })
    }
    expect(await account.stored()).toBe(3)
    expect(await onDisk(cloud)).toEqual([])
  },
}

async function addAccount(cloud: Cloud, name: string) {
  const client = await createClient(cloud)
  const files = { "login.json": JSON.stringify({ refresh_token: `token-1-${name}-${CANARY}` }) }
  const account = { name, provider: "mock", login: { files, consent: true } }
  expect(await client.send("/api/v1/accounts", account)).toMatchObject({ has_login: true, ready: true })
  const sealer = createSealer(new Uint8Array(Buffer.from(MASTER_KEY, "base64")))
  const accounts = createAccounts({ records: cloud.stores.records, sealer, newId: createNewId(), clock: systemClock })

  return {
    /** Resolves to the number of the stored renewal. */
    async stored(): Promise<number> {
      const stored = await accounts.login(OWNER, name, {})
      return Number(/token-(\d+)-/.exec(stored?.files["login.json"] ?? "")?.[1])
    },
    async begin(commands: string[]) {
      const { id: session } = await client.send<{ id: string }>("/api/v1/sessions", {})
      const task_description = `Try it. mock: ${JSON.stringify({ files: {}, commands })}`
      const asked = { task_description, coding_agent: name, consent: true }
      const { task_id } = await client.send<{ task_id: string }>(`/api/v1/sessions/${session}/tasks`, asked)
      return {
        sid: sidOf(session),
        async ended(as: string): Promise<void> {
          for (;;) {
            const { status, error } = (await (await client.get(`/v1/runs/${task_id}`)).json()) as Run
            if (status === as) return
            expect(["queued", "running", "parked"], JSON.stringify(error)).toContain(status)
            await pause(200)
          }
        },
        async cancel(): Promise<void> {
          await client.post(`/v1/runs/${task_id}/cancel`, session)
        },
        async file(path: string): Promise<string> {
          const answer = await client.get(`/workspace/file?path=${path}&workspace_id=${session}`)
          return ((await answer.json()) as { content: string }).content
        },
        log: async () => (await client.get(`/api/v1/sessions/${session}/events?limit=1000`)).text(),
      }
    },
  }
}

interface Run {
  status: string
  error: unknown
}

/** Returns the files of all containers that contain a token. */
async function onDisk({ ecs }: Cloud): Promise<string[]> {
  const entries = await readdir(ecs.folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, "latin1").catch(() => "")]))
  return texts.flatMap(([file = "", text]) => (text?.includes(CANARY) ? [file] : []))
}
