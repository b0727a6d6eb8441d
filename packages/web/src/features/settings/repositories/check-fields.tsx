import { PREVIEW_LIMIT_SECONDS, START_LIMIT_SECONDS, USUAL_LIMIT_SECONDS } from "@switchyard/core/work/gate/schema"
import { CHECK_LABELS, CHECK_NAMES } from "../../../session/actions/check-commands.ts"
import { ChoiceField, Field, fieldsOf } from "../../../ui/field.tsx"
import type { FoundProject } from "./find-settings.tsx"
import type { RepositoryFieldsProps } from "./repository-form.ts"

const PREVIEWS = { auto: "Any port", manual: "Fixed port", disabled: "Off" }

interface Props extends RepositoryFieldsProps {
  found: FoundProject | null
}

/** Fields for the commands that check an agent's work, and for the preview of a server. */
export function CheckFields({ form, faults, found, onChange }: Props) {
  const field = fieldsOf(form, onChange, faults)
  return (
    <fieldset>
      <legend className="font-semibold">Checks</legend>
      <p className="mt-1 text-sm text-ink-3">
        Leave commands empty to detect them automatically. Commands run without network access. The app must respond
        within {START_LIMIT_SECONDS} seconds in a check, or {PREVIEW_LIMIT_SECONDS} in a preview.
      </p>
      <div className="mt-3 flex flex-col gap-3">
        {CHECK_NAMES.map((name) => (
          <div key={name} className="grid grid-cols-[minmax(0,1fr)_6.5rem] gap-3">
            <Field
              label={CHECK_LABELS[name]}
              className="[&_input]:font-mono [&_input]:text-sm"
              placeholder={found?.commands[name]}
              {...field(name)}
              verbatim
            />
            <Field
              label="Seconds"
              aria-label={`${CHECK_LABELS[name]} time limit in seconds`}
              type="number"
              min={1}
              max={3600}
              placeholder={String(name === "start" ? START_LIMIT_SECONDS : USUAL_LIMIT_SECONDS)}
              {...field(`${name}_limit`)}
            />
          </div>
        ))}
      </div>
      <div className="mt-3 grid items-start gap-3 sm:grid-cols-2">
        <ChoiceField label="Preview" of={PREVIEWS} {...field("port_mode")} />
        {form.port_mode === "manual" && (
          <Field label="Preview port" type="number" min={1024} max={65_535} {...field("preview_port")} />
        )}
      </div>
    </fieldset>
  )
}
