import type { AccountView } from "@switchyard/core/people/accounts/schema"
import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import { createPortal } from "react-dom"
import * as z from "zod"
import { useChange } from "../../../session/context/requests.ts"
import { useToast } from "../../../session/context/studio.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { refreshAccounts } from "./use-accounts.ts"

const LoginDialog = lazyPart(async () => (await import("./login-dialog.tsx")).LoginDialog)

const Begun = z.object({ run_id: z.string(), workspace_id: z.string() })

/**
 * Logs in using an agent's own program, in a terminal over the page, after the user has agreed to the terms. `onDone`
 * is called once the account has the login.
 */
export function useLoginTerminal(onDone: () => void) {
  const toast = useToast()
  const client = useQueryClient()
  const [name, setName] = useState("")
  const begin = useChange((api, { name, provider }: Pick<AccountView, "name" | "provider">) => {
    const body = { provider, consent: true }
    return api.call("POST /api/v1/accounts/{name}/login", { path: { name }, body, response: Begun })
  })
  const end = useCallback(
    (isDone: boolean) => {
      begin.reset()
      refreshAccounts(client)
      if (!isDone) return
      toast(`${name} is logged in.`, "ok")
      onDone()
    },
    [begin.reset, client, toast, name, onDone],
  )
  const faults: { login?: string } = begin.error ? { login: begin.error.message } : {}
  return {
    faults,
    begin(account: Pick<AccountView, "name" | "provider">) {
      setName(account.name)
      if (!begin.isPending) begin.mutate(account)
    },
    // Rendered outside the form that opened it, so that its key presses don't reach the form.
    dialog:
      begin.data &&
      createPortal(<LoginDialog name={name} session={begin.data.workspace_id} onEnd={end} />, document.body),
  }
}
