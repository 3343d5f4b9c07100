import './run-group.ts';
