import { type IconState, StatusIcon } from "../../ui/status-icon.tsx"

const meanings = {
  idle: "Nothing runs",
  busy: "At work",
  needs_input: "Waits for you",
  done: "Done",
  error: "Failed, and says why",
} satisfies Record<IconState, string>

export function IconLegend() {
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm !list-none !pl-0">
      {Object.entries(meanings).map(([state, meaning]) => (
        <li key={state} className="flex items-center gap-2">
          <StatusIcon state={state as IconState} label={null} />
          {meaning}
        </li>
      ))}
    </ul>
  )
}
