import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useId, useState } from "react"
import { useStudio, useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Dialog } from "../../../ui/dialog.tsx"
import { fieldClass } from "../../../ui/field.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useWorktreeActions, worktreeQueries } from "../worktree/use-worktree.ts"
import { SelectField } from "./select-field.tsx"

const strategies = [
  { value: "squash", text: "One commit with all of it" },
  { value: "merge", text: "A merge commit that keeps the work's own" },
] as const
type Strategy = (typeof strategies)[number]["value"]

interface Props {
  sessionId: string
  status: WorktreeStatus
  onClose(): void
}

/** Brings the work into a branch, all of it or nothing. */
export function MergeDialog({ sessionId, status, onClose }: Props) {
  const form = useId()
  const message = useId()
  const toast = useToast()
  const { merge } = useWorktreeActions(sessionId)
  const [target, setTarget] = useState(status.target_branch ?? "")
  const [strategy, setStrategy] = useState<Strategy>("squash")
  const [text, setText] = useState("")
  const [removing, setRemoving] = useState(false)
  const [hooked, setHooked] = useState(false)
  const branches = useBranches(sessionId, target)

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (merge.isPending) return
    merge.mutate(
      {
        target_branch: target || undefined,
        commit_message: text,
        strategy,
        delete_worktree: removing,
        run_hooks: hooked,
      },
      {
        onSuccess: (result) => {
          toast(result.message, result.success ? "ok" : "info")
          onClose()
        },
      },
    )
  }

  return (
    <Dialog
      title="Merge the work"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" form={form} disabled={merge.isPending}>
            {merge.isPending ? "Merging" : target ? `Merge into ${target}` : "Merge"}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        {merge.error && <Refusal error={merge.error} />}
        <SelectField label="Into the branch" options={branches.options} value={target} onChange={setTarget} />
        {branches.error && <Notice tone="err">{branches.error.message}</Notice>}
        <SelectField
          label="As"
          options={[...strategies]}
          value={strategy}
          onChange={(value) => setStrategy(strategies.find((one) => one.value === value)?.value ?? "squash")}
        />
        <div>
          <label htmlFor={message} className="mb-1 block text-sm font-semibold">
            Commit message
          </label>
          <textarea
            id={message}
            value={text}
            onChange={(event) => setText(event.target.value)}
            rows={4}
            spellCheck
            aria-describedby={`${message}-hint`}
            data-autofocus
            className={`${fieldClass} py-2 font-mono text-sm`}
          />
          <p id={`${message}-hint`} className="text-sm text-ink-3">
            Kept to the letter. Without one, the server writes it.
          </p>
        </div>
        <Checkbox
          label="Run the repository's hooks"
          hint="As a commit by hand does, with a signature if your settings ask for one. A hook that refuses stops the merge."
          checked={hooked}
          onChange={setHooked}
        />
        <Checkbox
          label="Delete the worktree after"
          hint={
            removing ? "The branch goes with it once the merge is made." : "The work can go on from what was merged."
          }
          checked={removing}
          onChange={setRemoving}
        />
      </form>
    </Dialog>
  )
}

/** The branches to choose from, the chosen one always among them. */
export function useBranches(sessionId: string, chosen: string) {
  const { api } = useStudio()
  const { data, error } = useQuery(worktreeQueries(api, sessionId).branches)
  const names = data?.branches ?? []
  const all = chosen === "" || names.includes(chosen) ? names : [chosen, ...names]
  const first = chosen === "" ? [{ value: "", text: "Choose a branch" }] : []
  return {
    options: [...first, ...all.map((name) => ({ value: name, text: name }))],
    error,
  }
}
