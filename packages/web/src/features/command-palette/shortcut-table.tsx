import { KeyCaps } from "./key-caps.tsx"
import { type Shortcut, shortcuts } from "./shortcuts.ts"

/** Every shortcut and its effect, global ones first. */
export function ShortcutTable() {
  return (
    <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      <Group title="Everywhere" of={shortcuts.filter(({ single }) => !single)} />
      <Group title="When you're not typing" of={shortcuts.filter(({ single }) => single)} />
    </div>
  )
}

function Group({ title, of }: { title: string; of: Shortcut[] }) {
  return (
    <table className="w-full self-start text-sm">
      <caption className="pb-1 text-left font-semibold">{title}</caption>
      <thead className="unseen">
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Action</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ keys, does }) => (
          <tr key={keys} className="border-t border-line">
            <td className="w-[1%] py-1.5 pr-4 whitespace-nowrap">
              <KeyCaps keys={keys} />
            </td>
            <td className="py-1.5 text-ink-2">{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
