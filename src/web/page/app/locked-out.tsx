import { access } from './api-client.ts';

/** For somebody who has no key of this server: the page shows nothing, and says how to get in. */
export function LockedOut() {
  const isRefused = access.value === 'refused';
  return (
    <main class="locked-out" id="main">
      <h1>{isRefused ? 'This page has been left behind' : 'This page needs a key'}</h1>
      <p>
        {isRefused
          ? 'The server was started again since this page was opened, or its link was used before.'
          : 'Links work in a browser in which the page was opened by the command.'}{' '}
        In a terminal, type
      </p>
      <pre>
        <code>savepoint web</code>
      </pre>
      <p>
        or press Enter where it runs: the page opens anew, with a key of its own. Nothing on this
        machine has been changed.
      </p>
    </main>
  );
}
