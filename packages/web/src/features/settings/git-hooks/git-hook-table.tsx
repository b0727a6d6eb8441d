import type { GitHook, ListedGitHook } from "@switchyard/core/people/git-hooks/schema"
import { kindNames } from "../git-hosts/kind-names.ts"
import { EntryList, EntryText, NoEntries } from "../list/entry-list.tsx"
import type { GitHookActions } from "./use-git-hooks.ts"

/** The user's git hooks. */
export function GitHookTable({ hooks, remove }: { hooks: ListedGitHook[]; remove: GitHookActions["remove"] }) {
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
