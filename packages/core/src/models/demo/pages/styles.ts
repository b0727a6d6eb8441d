import { source } from "../source.ts"

/** One quiet look for all pages; colours follow the system's light or dark. */
export const styles = source`
  :root {
    color-scheme: light dark;
    --paper: #f7f6f3;
    --card: #ffffff;
    --ink: #1d1c1a;
    --faint: #6a665f;
    --line: #e2dfd8;
    --accent: #3451d1;
    --on-accent: #ffffff;
    --wrong: #b3261e;
  }

  @media (prefers-color-scheme: dark) {
    :root {
      --paper: #151517;
      --card: #1e1e21;
      --ink: #ecebe8;
      --faint: #a19d96;
      --line: #34343a;
      --accent: #9db0ff;
      --on-accent: #14182b;
      --wrong: #ff8f85;
    }
  }

  * {
    box-sizing: border-box;
  }

  body {
    margin: 0;
    padding: clamp(1.25rem, 6vw, 5rem) 1.25rem;
    background: var(--paper);
    color: var(--ink);
    font-family: system-ui, sans-serif;
    font-size: 1.0625rem;
    line-height: 1.6;
  }

  main {
    max-width: 40rem;
    margin: 0 auto;
  }

  h1 {
    margin: 0;
    font-size: clamp(2rem, 7vw, 3rem);
    line-height: 1.1;
    letter-spacing: -0.03em;
    overflow-wrap: anywhere;
  }

  h2 {
    margin: 0 0 0.25rem;
    font-size: 1.125rem;
  }

  .lead {
    margin: 0.75rem 0 2rem;
    color: var(--faint);
  }

  .card {
    padding: 1.5rem;
    border: 1px solid var(--line);
    border-radius: 1rem;
    background: var(--card);
  }

  .cards {
    display: grid;
    gap: 1rem;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr));
    margin-bottom: 1rem;
  }

  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
  }

  label {
    display: block;
    margin-bottom: 0.5rem;
    font-weight: 600;
  }

  input,
  textarea,
  button {
    border: 1px solid var(--line);
    border-radius: 0.625rem;
    padding: 0.625rem 0.875rem;
    background: transparent;
    color: inherit;
    font: inherit;
  }

  input,
  textarea {
    flex: 1 1 14rem;
    width: 100%;
    min-width: 0;
  }

  textarea {
    resize: vertical;
  }

  button {
    cursor: pointer;
  }

  button.main,
  button[aria-pressed="true"] {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--on-accent);
  }

  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }

  a {
    color: var(--accent);
  }

  .list {
    display: grid;
    gap: 0.5rem;
    margin: 1.5rem 0 0;
    padding: 0;
    list-style: none;
  }

  .list li {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
    padding: 0.75rem 0 0;
    border-top: 1px solid var(--line);
  }

  .list .text {
    flex: 1 1 12rem;
    overflow-wrap: anywhere;
  }

  .answer {
    display: block;
    min-height: 1.6em;
    margin-top: 1.25rem;
    font-size: 1.5rem;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }

  .clock {
    margin: 0.5rem 0 1rem;
    font-size: clamp(3rem, 16vw, 6rem);
    line-height: 1.1;
    letter-spacing: -0.03em;
  }

  .table {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr));
    gap: 1rem;
    margin: 1.25rem 0 0;
  }

  .table dt {
    color: var(--faint);
    font-size: 0.875rem;
  }

  .table dd {
    margin: 0;
    font-size: 1.75rem;
    font-variant-numeric: tabular-nums;
  }

  .preview {
    margin-top: 1.25rem;
    padding-top: 1.25rem;
    border-top: 1px solid var(--line);
    overflow-wrap: anywhere;
  }

  .message {
    min-height: 1.6em;
    margin: 0.5rem 0 0;
    color: var(--faint);
    font-size: 0.9375rem;
  }

  .wrong {
    color: var(--wrong);
    font-size: 1rem;
  }
`
