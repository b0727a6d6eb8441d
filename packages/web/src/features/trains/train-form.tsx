import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { GitMerge } from "../../ui/icons.tsx"
import { Notice } from "../../ui/notice.tsx"
import type { useTrain } from "./use-train.ts"

interface Props {
  chosen: string[]
  train: ReturnType<typeof useTrain>
  readOnly: string | null
}

/** The options of a merge train, and the button that starts it. */
export function TrainForm({ chosen, train, readOnly }: Props) {
  const [checks, setChecks] = useState(true)
  const [deletes, setDeletes] = useState(true)
  const count = formatCount(chosen.length, "worktree")
  const start = () => train.start({ worktrees: chosen, checks, delete_worktrees: deletes })
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        start()
      }}
    >
      <Checkbox
        label="Check the branch after each merge"
        hint="Installs, builds and tests a clean copy, and stops where that fails."
        checked={checks}
        onChange={setChecks}
      />
      <Checkbox
        label="Delete each worktree once it is merged"
        hint="Its branch, too. Keep them to let their agents continue."
        checked={deletes}
        onChange={setDeletes}
      />
      {train.error && <Notice tone={train.asksConsent ? "need" : "err"}>{train.error}</Notice>}
      <Button
        type="submit"
        tone="primary"
        disabled={readOnly !== null || train.busy || chosen.length === 0}
        className="justify-self-start"
      >
        <GitMerge size={14} aria-hidden />
        {train.asksConsent ? `Allow checks and merge ${count}` : `Merge ${count}`}
      </Button>
      {readOnly && <p className="text-sm text-ink-3">{readOnly}</p>}
    </form>
  )
}
