/** A list of files in a notice. `more`: number of files that aren't named. */
export function PathList({ label, paths, more = 0 }: { label: string; paths: readonly string[]; more?: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
    <ul tabIndex={0} aria-label={label} className="mt-1 max-h-32 list-disc overflow-y-auto pl-5">
      {paths.map((path) => (
        <li key={path} className="font-mono text-xs break-all">
          {path}
        </li>
      ))}
      {more > 0 && <li className="text-xs">and {more.toLocaleString()} more</li>}
    </ul>
  )
}
