import { Account, Provider } from "@switchyard/core/accounts/schema"
import { useQuery } from "@tanstack/react-query"
import { Play } from "lucide-react"
import { useId, useState } from "react"
import { useLocation } from "wouter"
import * as z from "zod"
import { ApiError } from "../../api/client.ts"
import { useCommand } from "../../app/commands.ts"
import { paths } from "../../app/routes.ts"
import { useSessionsChanged } from "../../app/sessions.ts"
import { useStudio } from "../../app/studio.ts"
import { Button } from "../../ui/button.tsx"
import { Field, fieldClass } from "../../ui/field.tsx"
import { Notice } from "../../ui/notice.tsx"
import { startAgent } from "./start-agent.ts"

const Accounts = z.object({ accounts: z.array(Account) })
const Providers = z.object({ providers: z.array(Provider) })

/** A task for a command-line agent: what, who, and where. */
export function AgentForm() {
  const { api } = useStudio()
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const id = useId()
  const agents = useAgents()
  const [task, setTask] = useState("")
  const [agent, setAgent] = useState("")
  const [repository, setRepository] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const chosen = agent || (agents[0]?.name ?? "")
  const blocked = busy || task.trim() === "" || chosen === ""

  async function run(consent: boolean): Promise<void> {
    if (blocked) return
    setBusy(true)
    setError(null)
    try {
      const asked = { task, sessionId: null, agent: chosen, repository: repository.trim() || null, consent }
      const session = await startAgent(api, asked)
      changed()
      go(paths.term(session))
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, "failed", String(failure)))
      setBusy(false)
    }
  }
  useCommand("run", "Start the agent", blocked ? null : () => run(false))

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        run(false)
      }}
    >
      <div>
        <label htmlFor={`${id}-task`} className="mb-1 block text-sm font-semibold">
          Task
        </label>
        <textarea
          id={`${id}-task`}
          rows={4}
          value={task}
          onChange={(event) => setTask(event.target.value)}
          placeholder="What should the agent do?"
          className={`${fieldClass} resize-none py-2`}
        />
      </div>
      <div className="grid gap-4 md:grid-cols-2">
        <div>
          <label htmlFor={`${id}-agent`} className="mb-1 block text-sm font-semibold">
            Agent
          </label>
          <select
            id={`${id}-agent`}
            value={chosen}
            onChange={(event) => setAgent(event.target.value)}
            className={`${fieldClass} h-9 max-md:h-11`}
          >
            {agents.map(({ name, told }) => (
              <option key={name} value={name}>
                {told}
              </option>
            ))}
          </select>
        </div>
        <Field
          label="Repository"
          value={repository}
          onChange={(event) => setRepository(event.target.value)}
          placeholder="A folder, or an address to clone"
          hint="Empty: the session's own files"
          spellCheck={false}
        />
      </div>
      {error?.code === "consent_required" ? (
        <Notice tone="need" className="flex flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 flex-1">
            Agents run commands on this machine without asking. This is asked once for each repository.
          </span>
          <Button size="sm" onClick={() => run(true)}>
            Let it work there
          </Button>
        </Notice>
      ) : (
        error && <Notice tone="err">{error.message}</Notice>
      )}
      <div>
        <Button type="submit" tone="primary" disabled={blocked}>
          <Play size={14} aria-hidden /> {busy ? "Starting" : "Start"}
        </Button>
      </div>
    </form>
  )
}

/** Accounts first, then programs that may find a key in the server's own environment. */
function useAgents(): { name: string; told: string }[] {
  const { api } = useStudio()
  const { data } = useQuery({
    queryKey: ["agents"],
    queryFn: async ({ signal }) => ({
      ...(await api.get("/api/v1/accounts", Accounts, { signal })),
      ...(await api.get("/api/v1/providers", Providers, { signal })),
    }),
  })
  if (!data) return []
  const nameOf = (type: string) => data.providers.find((provider) => provider.type === type)?.name ?? type
  return [
    ...data.accounts.map(({ name, provider }) => ({ name, told: `${name} (${nameOf(provider)})` })),
    ...data.providers.map(({ type, name }) => ({ name: type, told: `${name}, with the server's key` })),
  ]
}
