// bcryptprimitives.dll as far as Go's runtime needs it. Wine has it from version 8.13 on, Debian 12 has 8.0.
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);

__declspec(dllexport) int __stdcall ProcessPrng(void *to, unsigned long long length) {
	return SystemFunction036(to, (unsigned long)length);
}

int __stdcall DllMainCRTStartup(void *instance, unsigned long reason, void *reserved) { return 1; }
