import { setTimeout as delay } from "node:timers/promises"
import type { Place } from "../../tests/browser/harness/place.ts"

const BEFORE = "export function refresh(user: User, token: Token) {\n  return issue(user, token.id)\n}\n"

const FINDINGS = `The refresh handler **reuses the old token's id**, so a stolen token stays valid. I'll rotate it, and keep the old one for 30 s:

1. \`newTokenId()\` for each refresh
2. a grace period for the old one

| case | before | after |
|---|---|---|
| replay | allowed | refused |
| two tabs at once | one fails | both work |
`

/** Opens a session with three agents: one is done, one is asking a question, and one is writing. */
export async function agentsAtWork(place: Place): Promise<string> {
  const { id } = await place.ask("POST", "/api/v1/sessions", { name: "Token refresh" })
  const agents = `/api/v1/sessions/${id}/agents`
  const add = (name: string, mode: string) => place.ask("POST", agents, { name, coding_agent: "mock", mode })
  const say = (name: string, display_as: string, knobs: object) =>
    place.ask("POST", `${agents}/${name}/messages`, {
      content: `${display_as} mock: ${JSON.stringify(knobs)}`,
      display_as,
    })
  const until = async (name: string, status: string) => {
    while ((await place.ask("GET", `${agents}/${name}`)).status !== status) await delay(100)
  }
  await add("api", "accept_edits")
  await add("tests", "ask")
  await add("docs", "accept_edits")
  await say("api", "Add a handler that refreshes a token", { say: "Here it is.", files: { "src/session.ts": BEFORE } })
  await until("api", "idle")
  await say("api", "Make refresh rotate the token", {
    thinks: "The handler passes on token.id. So whoever has the old token can go on with it.",
    todos: ["Rotate the id", "Grace period of 30 s", "Audit log"],
    todos_done: 2,
    say: FINDINGS,
    helper: {
      task: "Find other callers of issue()",
      commands: ["grep -rn issue src"],
      says: "Only `src/session.ts` calls it.",
    },
    edits: [
      {
        path: "src/session.ts",
        from: "  return issue(user, token.id)",
        to: "  const next = newTokenId()\n  await grace(token.id, 30_000)\n  return issue(user, next)",
      },
    ],
  })
  await until("api", "idle")
  await say("tests", "Cover the grace period, please", {
    todos: ["Replay is refused", "Two tabs at once"],
    say: "I need a staging database that has the new column.",
    commands: ["npm run db:migrate -- --env staging"],
  })
  await until("tests", "needs_input")
  await say("docs", "Describe the refresh flow", {
    say: "The flow has three steps, and a diagram of them is in `docs/auth.md`.",
    streams:
      "A token is **rotated** each time it is refreshed. The old one stays valid for 30 s, so that two tabs that refresh at once both go on. ",
    hangs: true,
  })
  await until("docs", "busy")
  await delay(3000)
  return id
}
