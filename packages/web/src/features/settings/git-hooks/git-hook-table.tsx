import type { GitHook, ListedGitHook } from "@switchyard/core/people/git-hooks/schema"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { kindNames } from "../git-hosts/kind-names.ts"
import type { GitHookActions } from "./use-git-hooks.ts"

/** The user's git hooks. */
export function GitHookTable({ hooks, remove }: { hooks: ListedGitHook[]; remove: GitHookActions["remove"] }) {
  const toast = useToast()
  const [doomed, setDoomed] = useState<GitHook | null>(null)
  const close = () => {
    setDoomed(null)
    remove.reset()
  }
  if (hooks.length === 0) return <NoHooks />
  return (
    <>
      <ul className="border-b border-line">
        {hooks.map((hook) => (
          <li
            key={hook.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-3 first:border-t-0 first:pt-0"
          >
            <div className="min-w-0 flex-1 basis-[240px]">
              <p className="font-semibold break-all">{hook.repository}</p>
              <p className="text-sm break-words text-ink-3">
                {[kindNames[hook.kind], hook.coding_agent, ...hook.rules.map(ruleName)].join(" · ")}
              </p>
              {hook.problem !== null && <p className="text-sm text-err">Starts nothing: {hook.problem}</p>}
            </div>
            <Button size="sm" aria-label={`Delete the git hook of ${hook.repository}`} onClick={() => setDoomed(hook)}>
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {doomed && (
        <ConfirmDialog
          title="Delete this git hook?"
          action="Delete"
          busy={remove.isPending}
          failure={remove.error && <Notice tone="err">{remove.error.message}</Notice>}
          onClose={close}
          onConfirm={() => {
            const onSuccess = () => {
              toast("Deleted the git hook.")
              close()
            }
            remove.mutate(doomed.id, { onSuccess })
          }}
        >
          Nothing that happens in {doomed.repository} starts a run any more. Remove the webhook on{" "}
          {kindNames[doomed.kind]}, too.
        </ConfirmDialog>
      )}
    </>
  )
}

function NoHooks() {
  return (
    <div>
      <p className="font-semibold">No git hooks yet</p>
      <p className="mt-1 text-ink-2">
        With one, a label, a comment that begins with @switchyard or a failed check on GitHub or GitLab puts an agent to
        work.
      </p>
    </div>
  )
}

function ruleName(rule: GitHook["rules"][number]): string {
  if (rule.on === "issue_labelled") return `label “${rule.label}”`
  return rule.on === "comment" ? "comments" : "failed checks"
}
