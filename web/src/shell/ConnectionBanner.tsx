import { Icon } from '../parts/Icon.tsx';
import { isConnected } from '../state/connection.ts';
import './shell.css';

export function ConnectionBanner() {
  return (
    <div role="status" class="connection-banner" hidden={isConnected.value}>
      <Icon name="warning" />
      The connection to Vigil is lost. What you have typed stays; the page goes on by itself when Vigil is
      back.
    </div>
  );
}
