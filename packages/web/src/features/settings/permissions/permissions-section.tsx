import { type PermissionRules, StoredPermissionRules } from "@switchyard/core/people/settings/permission-rules-schema"
import { useReplacement, useResponse } from "../../../session/context/requests.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"
import { factsOf, nameOf, PermissionRuleForm } from "./permission-rule-form.tsx"
import { fromRulesForm, type RuleForm, toRulesForm, withRule } from "./rules-form.ts"

/** Rules for what agents may do, in all repositories or in one. */
export function PermissionsSection() {
  const { list, replace } = usePermissionRules()
  const rules = list.data ? toRulesForm(list.data) : []
  const save = (edited: RuleForm[], options?: { onSuccess(): void }) =>
    replace.mutate({ ...fromRulesForm(edited), version: list.data?.version ?? 0 }, options)
  return (
    <CrudSection
      title="Rules"
      isPage
      hint="Rules apply in every mode. If several match, the last one wins, except that Deny always wins. A repository can tighten them in .switchyard/permissions.yaml."
      list={list}
      entries={list.data && rules}
      empty="No rules yet. Agents follow their mode and what you've allowed in the session."
      keyOf={(rule) => `${nameOf(rule)} ${factsOf(rule)}`}
      nameOf={({ at }) => `rule ${at + 1}`}
      row={(rule) => <EntryText name={nameOf(rule)} facts={factsOf(rule)} />}
      add="Add rule"
      edit="Edit"
      form={(entry, close) => (
        <PermissionRuleForm
          entry={entry}
          change={replace}
          onSave={(rule) => save(withRule(rules, entry, rule), { onSuccess: close })}
          onClose={close}
        />
      )}
      order={{ save, error: replace.error, groupOf: ({ repository }) => repository }}
      removal={{
        action: "Delete",
        text: (rule) => (
          <>
            <p className="mb-2 wrap-anywhere">
              {nameOf(rule)} · {factsOf(rule)}
            </p>
            New tasks will no longer follow this rule.
          </>
        ),
        remove: (rule, options) => save(withRule(rules, rule, null), options),
        mutation: replace,
      }}
    />
  )
}

const KEY = ["permission-rules"]

/** Returns the user's rules for agents. They are replaced as a whole, but never overwrite a concurrent change. */
function usePermissionRules() {
  const list = useResponse(KEY, "GET /api/v1/config/permissions", { response: StoredPermissionRules })
  const replace = useReplacement(KEY, (api, body: PermissionRules & { version: number }) =>
    api.call("PUT /api/v1/config/permissions", { body, response: StoredPermissionRules }),
  )
  return { list, replace }
}
