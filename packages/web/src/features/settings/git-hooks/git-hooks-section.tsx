import type { CreatedGitHook, GitHook, ListedGitHook } from "@switchyard/core/people/git-hooks/schema"
import { useEffect, useRef } from "react"
import { Button } from "../../../ui/button.tsx"
import { Check, Copy } from "../../../ui/icons.tsx"
import { UnloadedList } from "../../../ui/notice.tsx"
import { useCopy } from "../../../ui/use-copy.ts"
import { kindNames } from "../git-hosts/kind-names.ts"
import { EntryList, EntryText, NoEntries } from "../list/entry-list.tsx"
import { GitHookForm } from "./git-hook-form.tsx"
import { type GitHookActions, useGitHooks } from "./use-git-hooks.ts"

/** The user's git hooks, and a form that adds one. */
export function GitHooksSection() {
  const { list, create, remove } = useGitHooks()
  return (
    <div className="flex flex-col gap-8 border-t border-line pt-5">
      {list.data ? (
        <section aria-labelledby="git-hooks-list">
          <h2 id="git-hooks-list" className="unseen">
            Your git hooks
          </h2>
          <GitHookTable hooks={list.data.git_hooks} remove={remove} />
        </section>
      ) : (
        <UnloadedList list={list} lines={3} />
      )}
      {create.data ? <GitHookReveal hook={create.data} onDone={create.reset} /> : <GitHookForm create={create} />}
    </div>
  )
}

function GitHookTable({ hooks, remove }: { hooks: ListedGitHook[]; remove: GitHookActions["remove"] }) {
  if (hooks.length === 0) {
    return (
      <NoEntries title="No git hooks yet">
        With one, a label, a comment that begins with @switchyard or a failed check on GitHub or GitLab puts an agent to
        work.
      </NoEntries>
    )
  }
  return (
    <EntryList
      entries={hooks}
      keyOf={({ id }) => id}
      row={(hook) => (
        <EntryText
          name={hook.repository}
          facts={[kindNames[hook.kind], hook.coding_agent, ...hook.rules.map(ruleName)].join(" · ")}
        >
          {hook.problem !== null && <p className="text-sm text-err">Starts nothing: {hook.problem}</p>}
        </EntryText>
      )}
      removal={{
        action: "Delete",
        nameOf: ({ repository }) => `the git hook of ${repository}`,
        question: ({ repository, kind }) => ({
          title: "Delete this git hook?",
          text: `Nothing that happens in ${repository} starts a run any more. Remove the webhook on ${kindNames[kind]}, too.`,
        }),
        done: () => "Deleted the git hook.",
        remove: ({ id }, options) => remove.mutate(id, options),
        mutation: remove,
      }}
    />
  )
}

function ruleName(rule: GitHook["rules"][number]): string {
  if (rule.on === "issue_labelled") return `label “${rule.label}”`
  return rule.on === "comment" ? "comments" : "failed checks"
}

/** The URL and secret of a new git hook. The secret is shown only once. */
function GitHookReveal({ hook, onDone }: { hook: CreatedGitHook; onDone(): void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const host = hook.kind === "github" ? "GitHub" : "GitLab"
  return (
    <section aria-labelledby="git-hook-secret" className="border-l-4 border-need bg-need-bg px-4 py-4">
      <h2 id="git-hook-secret" ref={heading} tabIndex={-1} className="text-lg">
        Finish it on {host}
      </h2>
      <p className="mt-1 mb-3 text-sm">
        Add a webhook in the repository's settings with this address and secret
        {hook.kind === "github" && ", and JSON as the content type"}. The secret won't be shown again.
      </p>
      <Copied label="Address" text={`${window.location.origin}${hook.path}`} />
      <Copied label="Secret" text={hook.secret} />
      <Button className="mt-1" onClick={onDone}>
        Done
      </Button>
    </section>
  )
}

function Copied({ label, text }: { label: string; text: string }) {
  const { copied, copy } = useCopy(text)
  return (
    <div className="mb-3">
      <p className="mb-1 text-sm font-semibold">{label}</p>
      <div className="flex items-start gap-2">
        <code className="min-w-0 flex-1 rounded-md border border-strong bg-sheet px-3 py-2 font-mono text-sm break-all select-all">
          {text}
        </code>
        <Button aria-label={`Copy the ${label.toLowerCase()}`} onClick={copy}>
          {copied === "yes" ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </Button>
      </div>
      <span role="status" className="text-sm">
        {copied === "no" && "The browser blocked copying. Select it and copy it yourself."}
      </span>
    </div>
  )
}
